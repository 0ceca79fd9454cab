package dev.heddle.train.plan;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.PartCounts;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Recorder;
import java.util.List;

/** What running a model forward over a whole graph takes, before it takes anything. */
public final class ForwardPlan {
  private ForwardPlan() {}

  /**
   * Memory besides the graph and the model's parameters.
   *
   * @param sections how many of the model's are run
   * @param scratch of which nothing is taken that lasts
   */
  public static MemoryNeed of(
      Graph graph, Model model, int sections, Recorder.Options options, Memory scratch) {
    Partition whole = Partition.whole(graph.vertices());
    PartCounts counts = PartCounts.of(graph, whole, 0, /* summed= */ false, scratch);
    PartLayout layout = PartLayout.of(List.of(counts), 0);
    PlannedProgram program = PlannedProgram.of(graph, model, sections, layout, options, scratch);
    return MemoryNeed.NOTHING
        .plus(Purpose.GRAPH, program.arcBytes())
        .plus(Purpose.VALUES, program.valueBytes());
  }
}
