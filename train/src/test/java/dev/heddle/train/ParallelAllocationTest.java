package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Consistency;
import dev.heddle.train.settings.Depth;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.GradientCodec;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.Queues;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Epochs of several workers, threads of this JVM, do not feed the collector either, however rows
 * travel. On the scalar kernels, as {@link ZeroAllocationTest}.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ParallelAllocationTest {
  private static final int WORKERS = 3;
  private static final int VERTICES = 3000;
  private static final int BATCH = 25;

  /** Bytes per epoch of all workers: for what they agree on, less than a byte for every row. */
  private static final long MOST = 3000;

  /** Of two rounds of batches at three workers, three hops each: less than a kilobyte a sort. */
  private static final long MOST_WITH_SORTING = 18_000;

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static Graph graph;
  private static Partition owners;

  @BeforeAll
  static void generate() {
    graph = SmallGraph.of(VERTICES, 13, 3);
    owners = Partition.of(WORKERS, new SplittableRandom(5).ints(VERTICES, 0, WORKERS).toArray());
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  @ParameterizedTest
  @CsvSource({
    "GCN, FP32, false, false, false",
    "SAGE, BITS4, true, false, false",
    "GCN, ADAPTIVE, false, false, false",
    "SAGE, FP32, true, true, false",
    "GCN, BITS2, false, false, true",
    "SAGE, ADAPTIVE, true, true, true",
  })
  void epochsAllocateNothing(
      ModelKind kind, CodecKind codec, boolean overlap, boolean preAggregate, boolean delta) {
    // Widths are chosen before the second epoch, and then not again.
    var once = new Adaptation(1_000_000, 0.5, 100);
    Knobs knobs =
        Knobs.DEFAULT
            .withCodec(
                RowCodec.of(codec)
                    .withAdaptation(once)
                    .withPreAggregate(preAggregate)
                    .withDelta(delta))
            .withOverlap(overlap);
    TrainSettings settings = TrainSettings.builder().learningRate(1e-3f).knobs(knobs).build();
    assertAllocates(MOST, kind, settings);
  }

  /**
   * Batches that workers compute together, rows of which go elsewhere in every step. What is asked
   * of others is sorted once a hop and round, for which the JDK's sort takes a short array.
   */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32, 0", "GCN, BITS4, 0", "GAT, FP32, 1"})
  void batchesAllocateForSortingAlone(ModelKind kind, CodecKind codec, int depth) {
    Knobs knobs =
        Knobs.DEFAULT
            .withSplit(Split.BATCH)
            .withBatchSplit(new BatchSplit(Depth.of(depth), 0, 1))
            .withCodec(RowCodec.of(codec))
            .withFetch(Fetch.DEFAULT.withMacrobatch(2));
    TrainSettings settings =
        TrainSettings.builder()
            .learningRate(1e-3f)
            .knobs(knobs)
            .batches(new BatchSettings(500, SampleSettings.neighbours(4, 4, 4)))
            .build();
    assertAllocates(MOST_WITH_SORTING, kind, settings);
  }

  /** T-M2: queues, and gradients under way, feed the collector no more than batches without. */
  @ParameterizedTest
  @CsvSource({"FP32, 1", "BITS8, 3"})
  void queuesAndGradientsUnderWayAllocateNothing(GradientCodec codec, int staleness) {
    Sync.Racom sync = Sync.Racom.DEFAULT.withCodec(codec).withStaleness(staleness);
    Knobs knobs =
        Knobs.DEFAULT
            .withSplit(Split.SEEDS)
            .withQueues(new Queues.Fixed(2))
            .withSync(sync.withConsistency(Consistency.every(2)))
            .withFetch(Fetch.DEFAULT.withMacrobatch(2));
    TrainSettings settings =
        TrainSettings.builder()
            .learningRate(1e-3f)
            .knobs(knobs)
            .batches(new BatchSettings(500, SampleSettings.neighbours(4, 4, 4)))
            .build();
    assertAllocates(MOST_WITH_SORTING, ModelKind.SAGE, settings);
  }

  private static void assertAllocates(long most, ModelKind kind, TrainSettings settings) {
    ModelSpec spec = ModelSpec.of(kind).layers(3).hidden(20).heads(4).dropout(0.4f).build();
    long[] least = new long[1];
    LocalWorkers.run(
        WORKERS,
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            try (LocalGraph share =
                LocalGraph.of(graph, new Worker(group, owners, team, memory), settings.knobs())) {
              Model model = Model.create(spec, share.shape(), memory, 1);
              try (LoopRun trainer = LoopRun.of(share, model, settings)) {
                long found = leastAllocated(group, trainer, most);
                if (group.rank() == 0) {
                  least[0] = found;
                }
              }
            }
          }
        });
    assertThat(least[0]).as("bytes per epoch").isLessThanOrEqualTo(most);
  }

  /** Stages, and stages of several workers, however rows travel. */
  @ParameterizedTest
  @CsvSource({"3, 1, FP32, NONE", "2, 2, BITS8, CARRIED"})
  void epochsOfStagesAllocateNothing(
      int stages, int ways, CodecKind codec, LayerSplit.Compensation compensation) {
    var split = new LayerSplit(stages, ways, 5, compensation, new LayerSplit.History(7, 0));
    Knobs knobs = Knobs.DEFAULT.withCodec(RowCodec.of(codec)).withLayers(split);
    TrainSettings settings = TrainSettings.builder().learningRate(1e-3f).knobs(knobs).build();
    ModelSpec spec = ModelSpec.of(ModelKind.RESGCN).layers(3).hidden(20).dropout(0.4f).build();
    int[] way = new SplittableRandom(5).ints(VERTICES, 0, ways).toArray();
    Partition outputs = LayerDivision.owners(Partition.of(ways, way), split);
    long[] least = new long[1];
    LocalWorkers.run(
        split.workers(),
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              LocalGraph share =
                  LocalGraph.ofOutputs(graph, new Worker(group, outputs, team, memory))) {
            Model model = Model.create(spec, share.shape(), memory, 1);
            long found = leastAllocated(group, LoopRun.of(share, model, settings), MOST);
            if (group.rank() == 0) {
              least[0] = found;
            }
          }
        });
    assertThat(least[0]).as("bytes per epoch").isLessThanOrEqualTo(MOST);
  }

  /** Bytes per epoch of all threads in the best batch of epochs, as the first worker sees them. */
  private static long leastAllocated(Group group, LoopRun trainer, long most) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    long least = Long.MAX_VALUE;
    long[] more = {1};
    for (int epoch = 1; more[0] > 0; ) {
      // Everyone waits for everyone before and after: nobody is in another batch.
      group.sum(new long[1]);
      long before = AllocatedBytes.soFar();
      for (int i = 0; i < BATCH; i++) {
        double _ = trainer.epoch(epoch++);
      }
      group.sum(new long[1]);
      least = Math.min(least, (AllocatedBytes.soFar() - before) / BATCH);
      more[0] = group.rank() == 0 && least > most && System.nanoTime() < deadline ? 1 : 0;
      group.sum(more);
    }
    return least;
  }
}
