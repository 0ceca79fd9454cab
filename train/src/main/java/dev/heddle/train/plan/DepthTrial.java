package dev.heddle.train.plan;

import dev.heddle.comm.Group;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Outline;
import dev.heddle.train.batch.BatchSteps;
import dev.heddle.train.batch.BatchSurvey;
import dev.heddle.train.batch.Rehearsal;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The dry run that chooses a depth: the first batches of an epoch are loaded as each depth would
 * load them, on the same draws, and not trained on. Then some are computed by each worker for its
 * own seeds, to see how fast it is. All that this takes is given back.
 */
public final class DepthTrial {
  private final Worker worker;
  private final Graph graph;
  private final ModelSpec spec;
  private final TrainSettings settings;

  private DepthTrial(Worker worker, Graph graph, ModelSpec spec, TrainSettings settings) {
    this.worker = worker;
    this.graph = graph;
    this.spec = spec;
    this.settings = settings;
  }

  /**
   * Chooses; all workers call it and come to the same.
   *
   * @param settings whose depth is open
   */
  public static DepthChoice choose(
      Worker worker, Graph graph, ModelSpec spec, TrainSettings settings) {
    return new DepthTrial(worker, graph, spec, settings).run();
  }

  private DepthChoice run() {
    List<DepthCandidate> candidates = new ArrayList<>();
    for (int depth = 0; depth <= spec.hops(); depth++) {
      TrainSettings at = settings.withKnobs(settings.knobs().withChosenDepth(depth, spec.hops()));
      if (goesTogether(at)) {
        candidates.add(candidate(depth, at));
      }
    }
    if (candidates.isEmpty()) {
      // Says why.
      Compatibility.check(
          settings.withKnobs(settings.knobs().withChosenDepth(0, spec.hops())),
          spec,
          worker.group().size(),
          graph.features());
    }
    return new DepthChoice(candidates, rates(), settings.knobs().fetch().ahead());
  }

  private boolean goesTogether(TrainSettings at) {
    try {
      Compatibility.check(at, spec, worker.group().size(), graph.features());
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private DepthCandidate candidate(int depth, TrainSettings at) {
    Group group = worker.group();
    return with(
        at,
        steps -> {
          BatchSurvey survey = steps.survey();
          List<Outline> outlines = steps.model().outlines();
          double[] all = new double[group.size() * StepCounts.length()];
          StepCounts.of(survey, outlines).write(all, group.rank() * StepCounts.length());
          group.sum(all);
          List<StepCounts> workers = new ArrayList<>();
          for (int rank = 0; rank < group.size(); rank++) {
            workers.add(StepCounts.read(all, rank * StepCounts.length()));
          }
          return new DepthCandidate(depth, survey.surveyed(), survey.work().ofAll(group), workers);
        });
  }

  private StepRates rates() {
    Knobs knobs = settings.knobs();
    Fetch plain = Fetch.DEFAULT.withMacrobatch(1).withInPlace(knobs.fetch().inPlace());
    TrainSettings seeds =
        settings.withKnobs(knobs.withSplit(Split.SEEDS).withCodec(RowCodec.FP32).withFetch(plain));
    return with(
        seeds,
        steps -> {
          Rehearsal rehearsal = steps.rehearse();
          return StepRates.measured(worker.group(), rehearsal, steps.model().outlines());
        });
  }

  private <T> T with(TrainSettings at, Function<BatchSteps, T> use) {
    try (Memory memory = worker.memory().child()) {
      Worker scratch = new Worker(worker.group(), worker.owners(), worker.team(), memory);
      try (LocalGraph local = LocalGraph.of(graph, scratch, at.knobs())) {
        Loss.check(graph);
        Model model = Model.create(spec, local.shape(), memory, at.seed());
        BatchSettings batches = Objects.requireNonNull(at.batches());
        try (BatchSteps steps = new BatchSteps(local, model, batches, at)) {
          return use.apply(steps);
        }
      }
    }
  }
}
