package dev.heddle.train.plan;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.PartCounts;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.nn.Model;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares what stages of layers send with what as many workers would send that each have a part of
 * the graph: {@code 2 (S − 1) N (H + H')} numbers an epoch against {@code 2 L M H} and sums of all
 * gradients, M being the rows that parts need of each other (GNNPipe, arXiv 2308.10087). With few
 * layers, or a graph that is cut well, stages lose.
 */
public final class StagesOrParts {
  private StagesOrParts() {}

  /**
   * What to say where parts of the graph would send less. Cuts the graph to find out; one worker
   * may ask alone.
   *
   * @param stages what stages send
   * @param worker whose threads and memory are used
   * @return one line; null where stages send less
   */
  public static @Nullable String warning(
      StrategyPlan stages, Worker worker, Graph graph, Model model, TrainSettings settings) {
    int workers = stages.workers().size();
    if (workers == 1) {
      return null;
    }
    Partition parts =
        new MultilevelPartitioner()
            .partition(
                graph, PartitionSettings.of(workers).withSeed(settings.seed()), worker.team());
    List<PartCounts> counts =
        IntStream.range(0, workers)
            .mapToObj(r -> PartCounts.of(graph, parts, r, /* summed= */ false, worker.memory()))
            .toList();
    var planner = new FullGraphPlanner(graph, model, settings, counts, worker.memory());
    long instead = rows(StrategyPlan.of(planner, workers).epoch());
    long sent = rows(stages.epoch());
    return sent < instead
        ? null
        : String.format(
            Locale.ROOT,
            "stages send %,.1f MB in an epoch, and %d parts of this graph would send %,.1f MB:"
                + " --split graph sends less",
            1e-6 * sent,
            workers,
            1e-6 * instead);
  }

  /** Rows and gradients of parameters; words to agree on things are as many in any case. */
  private static long rows(Sent epoch) {
    return epoch.bytes() - epoch.of(Kind.CONTROL).bytes();
  }
}
