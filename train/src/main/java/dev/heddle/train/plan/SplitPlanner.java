package dev.heddle.train.plan;

import dev.heddle.graph.Graph;
import dev.heddle.nn.Model;
import dev.heddle.train.batch.BatchSteps;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans what each worker takes and sends, for one way of splitting the work among them. */
public sealed interface SplitPlanner permits FullGraphPlanner, BatchPlanner, LayerPlanner {
  /**
   * The planner that suits how a run splits its work; all workers call it, before they take memory
   * for their shares.
   *
   * @param batches where it trains in batches, of which some are looked at
   * @param division where it cuts the model by its layers
   */
  static SplitPlanner of(
      Worker worker,
      Graph graph,
      Model model,
      TrainSettings settings,
      @Nullable BatchSteps batches,
      @Nullable LayerDivision division) {
    if (division != null) {
      return new LayerPlanner(graph, division, settings, worker);
    }
    if (batches == null) {
      return FullGraphPlanner.among(worker, graph, model, settings);
    }
    FullGraphPlanner evaluations =
        settings.evaluateEvery() == 0
            ? null
            : FullGraphPlanner.among(worker, graph, model, settings);
    return new BatchPlanner(batches.survey(), model, settings, worker, evaluations);
  }

  /** How the work is split: the name of the knob's value. */
  String split();

  /** What a worker takes and sends. */
  WorkerPlan plan(int rank);

  /** What is not counted but taken to be so, a sentence each. */
  List<String> assumptions();
}
