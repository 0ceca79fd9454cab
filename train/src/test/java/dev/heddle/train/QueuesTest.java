package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Link;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.nn.ModelKind;
import dev.heddle.train.batch.QueueReport;
import dev.heddle.train.loop.SyncReport;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.Consistency;
import dev.heddle.train.settings.Depth;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.GradientCodec;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.Queues;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Training with queues between stages, and with gradients under way: MQ-GNN's claims of whole runs.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class QueuesTest {
  private static final int EPOCHS = 4;
  private static final int BATCH = 9;

  @TempDir private Path folder;

  /** What a run came to at one worker. */
  private record Ran(
      List<Double> losses,
      double test,
      List<float[][]> parameters,
      QueueReport queues,
      SyncReport sync,
      long gradientBytes) {
    static Ran by(Training training) {
      TrainResult result = training.run();
      return new Ran(
          result.epochs().stream().map(EpochReport::loss).toList(),
          result.test(),
          training.model().parameters().all().stream().map(p -> p.value().toArray()).toList(),
          training.queues(),
          training.sync(),
          training.sent().of(Kind.GRADIENT).bytes());
    }

    void assertSameBits(Ran other) {
      assertThat(losses).isEqualTo(other.losses);
      assertThat(test).isEqualTo(other.test);
      for (int p = 0; p < parameters.size(); p++) {
        assertThat(Arrays.deepEquals(parameters.get(p), other.parameters.get(p))).isTrue();
      }
    }
  }

  private static TrainSettings base(int workers, boolean together, int macrobatch) {
    var batches = new BatchSettings(BATCH, SampleSettings.neighbours(4, 3));
    Knobs knobs = Knobs.DEFAULT.withFetch(Fetch.DEFAULT.withMacrobatch(macrobatch));
    if (together && workers > 1) {
      knobs = knobs.withSplit(Split.BATCH).withBatchSplit(new BatchSplit(Depth.of(0), 0, 1));
    }
    return TrainSettings.builder()
        .epochs(EPOCHS)
        .optimizer(OptimizerKind.ADAM)
        .learningRate(0.01f)
        .clipNorm(0.5f)
        .threads(1)
        .seed(3)
        .batches(batches)
        .knobs(knobs)
        .build();
  }

  private static List<Ran> run(SeedParallelCase shared, TrainSettings settings) {
    return shared.each(settings, Ran::by);
  }

  private SeedParallelCase shared(Graph graph, SplittableRandom random, int workers) {
    Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
    return new SeedParallelCase(graph, owners, spec(ModelKind.SAGE));
  }

  /** T-M1, T-M2: whatever waits where, and at every-step sync, what is trained is the same. */
  @ParameterizedTest
  @CsvSource({"1, false, 1", "1, false, 3", "3, false, 1", "3, false, 4", "2, true, 1"})
  void lengthsOfQueuesChangeNoBit(int workers, boolean together, int macrobatch) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      SeedParallelCase shared = shared(graph, random, workers);
      TrainSettings off = base(workers, together, macrobatch);
      Ran should = run(shared, off).getFirst();
      for (Queues queues : List.of(new Queues.Fixed(1), new Queues.Fixed(4), Queues.ADAPTIVE)) {
        for (Ran is : run(shared, off.withKnobs(off.knobs().withQueues(queues)))) {
          is.assertSameBits(should);
          int most = is.queues.longest();
          assertThat(is.queues.length()).isBetween(1, most);
          assertThat(is.queues.sampled()).isLessThanOrEqualTo(most);
          assertThat(is.queues.fetched()).isLessThanOrEqualTo(most);
          if (queues instanceof Queues.Fixed(int length)) {
            assertThat(most).isEqualTo(length);
          }
        }
      }
    }
  }

  /**
   * Sampling and fetching both read the cache of their epoch, which the next one's replaces when
   * all batches of this one are fetched.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void queuesKeepToTheCacheOfTheirEpoch(int length) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      SeedParallelCase shared = shared(graph, random, 3);
      TrainSettings base = base(3, false, 1);
      Fetch.Cache cache = Fetch.Cache.gns(40 * 64, Fetch.Rank.DEGREE);
      Knobs cached = base.knobs().withFetch(base.knobs().fetch().withCache(cache));
      Ran should = run(shared, base.withKnobs(cached)).getFirst();
      Knobs queued = cached.withQueues(new Queues.Fixed(length));
      for (Ran is : run(shared, base.withKnobs(queued))) {
        is.assertSameBits(should);
      }
    }
  }

  /** Messages that take longer than computing make queues longer, by as much as memory allows. */
  @Test
  void queuesGrowWhereComputingStarves() {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 2);
      TrainSettings settings =
          base(2, false, 1).withBatches(new BatchSettings(2, SampleSettings.neighbours(4, 3)));
      TrainSettings adaptive = settings.withKnobs(settings.knobs().withQueues(Queues.ADAPTIVE));
      Queue<QueueReport> reports = new ConcurrentLinkedQueue<>();
      LocalWorkers.run(
          2,
          GroupSettings.DEFAULT.withLink(Link.delay("3ms")),
          group -> {
            try (Training training =
                Training.of(graph, spec(ModelKind.SAGE), adaptive, group, owners)) {
              TrainResult _ = training.run();
              reports.add(training.queues());
            }
          });
      assertThat(reports)
          .hasSize(2)
          .allMatch(report -> report.changes() > 0 && report.length() > 1);
    }
  }

  /** T-M3: with one step under way, the bits of sums in every step, compared or not. */
  @ParameterizedTest
  @CsvSource({"1, false, 1", "2, false, 1", "4, false, 3", "3, true, 1"})
  void oneStepUnderWayIsSynchronous(int workers, boolean together, int macrobatch) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      SeedParallelCase shared = shared(graph, random, workers);
      TrainSettings every = base(workers, together, macrobatch);
      Ran should = run(shared, every).getFirst();
      Sync.Racom one = Sync.Racom.DEFAULT.withStaleness(1);
      for (Consistency consistency :
          workers == 1
              ? List.of(Consistency.OFF)
              : List.of(Consistency.OFF, Consistency.every(3), Consistency.ADAPTIVE)) {
        Knobs knobs = every.knobs().withSync(one.withConsistency(consistency));
        for (Ran is : run(shared, every.withKnobs(knobs.withQueues(new Queues.Fixed(2))))) {
          is.assertSameBits(should);
          assertThat(is.sync.consistency().repairs()).isZero();
          assertThat(is.sync.consistency().checks() > 0).isEqualTo(consistency.on());
        }
      }
    }
  }

  /** With several under way models are the same at all workers, and learn. */
  @ParameterizedTest
  @CsvSource({"1, FP32", "3, FP32", "3, BITS8"})
  void severalStepsUnderWayLearnToo(int workers, GradientCodec codec) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      SeedParallelCase shared = shared(graph, random, workers);
      TrainSettings settings = base(workers, false, 1);
      Sync.Racom knob = Sync.Racom.DEFAULT.withStaleness(3).withCodec(codec);
      List<Ran> all = run(shared, settings.withKnobs(settings.knobs().withSync(knob)));
      Ran first = all.getFirst();
      all.forEach(each -> each.assertSameBits(first));
      assertThat(first.losses.getLast()).isLessThan(first.losses.getFirst());
      long steps = first.sync.staleness().stream().mapToLong(Long::longValue).sum() / workers;
      assertThat(first.gradientBytes)
          .isEqualTo(steps * workers * (workers - 1) * messageBytes(first, codec));
    }
  }

  /** Four bytes a number; or four a row, and one a number. */
  private static long messageBytes(Ran ran, GradientCodec codec) {
    return ran.parameters.stream()
        .mapToLong(p ->
            codec == GradientCodec.BITS8
                ? (long) p.length * (4 + p[0].length)
                : 4L * p.length * p[0].length)
        .sum();
  }

  /** A checkpoint has all updates in it: what goes on from one is what never stopped. */
  @Test
  void resumedRunsHaveTheBitsOfUndisturbedOnes() {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      SeedParallelCase shared = shared(graph, random, 2);
      TrainSettings settings = base(2, false, 1);
      Knobs knobs =
          settings
              .knobs()
              .withQueues(Queues.ADAPTIVE)
              .withSync(Sync.Racom.DEFAULT.withStaleness(1));
      TrainSettings racom = settings.withKnobs(knobs);
      Ran should = run(shared, racom).getFirst();
      Checkpoints checkpoints = new Checkpoints(folder, 1, 2, _ -> {});
      List<Boolean> stopped =
          shared.each(
              racom,
              training -> {
                training.checkpoints(checkpoints);
                training.onEpoch(report -> {
                  if (report.epoch() == 2) {
                    training.stop();
                  }
                });
                TrainResult _ = training.run();
                return training.stopped();
              });
      assertThat(stopped).containsOnly(true);
      List<Ran> resumed =
          shared.each(
              racom,
              training -> {
                training.checkpoints(checkpoints);
                assertThat(training.resume()).hasSize(2);
                return Ran.by(training);
              });
      resumed.forEach(each -> each.assertSameBits(should));
      assertThat(resumed).hasSize(2);
    }
  }
}
