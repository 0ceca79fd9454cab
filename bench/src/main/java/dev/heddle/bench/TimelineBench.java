package dev.heddle.bench;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Training;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.ThreadTimes;
import dev.heddle.train.pipeline.Timeline;
import dev.heddle.train.pipeline.WorkerTimes;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the timeline costs: how many spans an epoch has on the thread that has most of them, times
 * what recording one takes. Prints a Markdown table.
 *
 * <p>Options: {@code --rounds}, {@code --vertices}, {@code --epochs}, {@code --batch}.
 */
final class TimelineBench {
  private static final int SPANS = 100_000;

  private final int epochs;
  private final double spanNanos;
  private final Graph graph;

  private TimelineBench(Graph graph, int epochs, double spanNanos) {
    this.graph = graph;
    this.epochs = epochs;
    this.spanNanos = spanNanos;
  }

  public static void main(String[] args) {
    Options options = Options.parse(args);
    double nanos = spanNanos(options.number("rounds", 21));
    System.out.printf(Locale.ROOT, "A span takes %.0f ns to record.%n%n", nanos);
    System.out.println("| workers | steps | epoch ms | spans an epoch | part of the epoch |");
    System.out.println("|---|---|---|---|---|");
    try (Graph graph = generate(options.number("vertices", 50_000))) {
      var bench = new TimelineBench(graph, options.number("epochs", 10), nanos);
      int batch = options.number("batch", 1024);
      for (int workers : new int[] {1, 2}) {
        bench.row(workers, null);
        bench.row(workers, new BatchSettings(batch, SampleSettings.neighbours(10, 10)));
      }
    }
  }

  private static Graph generate(int vertices) {
    try (ThreadTeam team = ThreadTeam.of(2)) {
      return CommunityGraph.of(vertices)
          .averageDegree(20)
          .communities(50)
          .classes(10)
          .width(64)
          .seed(1)
          .generate(team);
    }
  }

  /** The median round of recording a span within another. */
  private static double spanNanos(int rounds) {
    Lane lane = new Timeline().training();
    double[] nanos = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      for (int item = 0; item < SPANS; item += 2) {
        lane.begin(Stage.COMPUTE, 1, item);
        lane.beginWait();
        lane.end();
        lane.end();
      }
      nanos[round] = (double) (System.nanoTime() - start) / SPANS;
    }
    Arrays.sort(nanos);
    return nanos[rounds / 2];
  }

  /** Training on the full graph, or in batches that are loaded ahead. */
  private void row(int workers, @Nullable BatchSettings batches) {
    TrainSettings.Builder settings =
        TrainSettings.builder().epochs(epochs).evaluateEvery(0).threads(2 / workers).seed(1);
    TrainSettings built =
        batches == null
            ? settings.build()
            : settings.batches(batches).build().withFetch(Fetch.DEFAULT.withAhead(true));
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(64).build();
    int vertices = graph.vertices();
    int[] owners = IntStream.range(0, vertices).map(v -> v % workers).toArray();
    List<WorkerTimes> times = new ArrayList<>();
    List<TrainResult> results = new ArrayList<>();
    LocalWorkers.run(
        workers,
        GroupSettings.DEFAULT,
        group -> {
          Partition parts = Partition.of(workers, owners);
          try (Training training = Training.of(graph, spec, built, group, parts)) {
            TrainResult result = training.trace().run();
            if (group.rank() == 0) {
              times.addAll(training.times());
              results.add(result);
            }
          }
        });
    double seconds = results.getFirst().medianEpochSeconds();
    int spans =
        times.stream()
            .flatMap(worker -> worker.threads().stream())
            .mapToInt(TimelineBench::spans)
            .max()
            .orElse(0);
    double each = (double) spans / epochs;
    System.out.printf(
        Locale.ROOT,
        "| %d | %s | %.1f | %.0f | %.4f %% |%n",
        workers,
        batches == null ? "full graph" : "batches, ahead",
        1e3 * seconds,
        each,
        100 * each * spanNanos / (1e9 * seconds));
  }

  private static int spans(ThreadTimes thread) {
    return Math.toIntExact(thread.spans().size() + thread.overflowed());
  }
}
