package dev.heddle.train.plan;

import dev.heddle.comm.Group;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.batch.BatchSteps;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;

/**
 * Finds out what training would take and send without training. Of batches, a few are sampled and
 * loaded; of layers, what sections cost is measured.
 */
public final class DryRun {
  private DryRun() {}

  /**
   * The plan of a run, by workers who all call it; what finding it out takes is given back.
   *
   * @param budget in which that counts
   * @param owners worker r has the vertices of part r; where several workers share a stage of
   *     layers, way w does
   */
  public static StrategyPlan of(
      Memory budget,
      Graph graph,
      ModelSpec spec,
      TrainSettings settings,
      Group group,
      Partition owners) {
    TrainSettings open = Compatibility.settled(settings, spec, group.size(), graph.features());
    Loss.check(graph);
    try (Memory memory = budget.child();
        ThreadTeam team = ThreadTeam.of(settings.threads())) {
      LayerSplit split = open.layers();
      if (split != null) {
        Partition ways = LayerDivision.ways(owners, split);
        Worker worker = new Worker(group, LayerDivision.owners(ways, split), team, memory);
        Model model = model(LocalGraph.ofOutputs(graph, worker), spec, open);
        LayerDivision division = LayerDivision.of(worker, graph, model, open, ways);
        return agreed(worker, SplitPlanner.of(worker, graph, model, open, null, division));
      }
      Worker worker = new Worker(group, owners, team, memory);
      TrainSettings settled =
          open.choosesDepth(group.size())
              ? DepthTrial.choose(worker, graph, spec, open).in(open, spec)
              : open;
      try (LocalGraph local = LocalGraph.of(graph, worker, settled.knobs())) {
        Model model = model(local, spec, settled);
        BatchSettings batches = settings.batches();
        if (batches == null) {
          return agreed(worker, SplitPlanner.of(worker, graph, model, settled, null, null));
        }
        try (BatchSteps steps = new BatchSteps(local, model, batches, settled)) {
          return agreed(worker, SplitPlanner.of(worker, graph, model, settled, steps, null));
        }
      }
    }
  }

  private static StrategyPlan agreed(Worker worker, SplitPlanner planner) {
    return StrategyPlan.agreed(planner, worker.group());
  }

  private static Model model(LocalGraph local, ModelSpec spec, TrainSettings settings) {
    return Model.create(spec, local.shape(), local.worker().memory(), settings.seed());
  }
}
