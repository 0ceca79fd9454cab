package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.settings;
import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampleSettings.Layer;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.SeedParallelCase.Trained;
import dev.heddle.train.batch.FetchReport;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Fetch.Cache;
import dev.heddle.train.settings.Fetch.Rank;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** T-M9: caches that input layers are sampled from, and that are drawn anew for each epoch. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class EpochCacheTest {
  /** Rows of 12 floats. */
  private static final long ROW = 48;

  /** Room for some twenty of the 150 vertices: rows in memory are padded to 64 bytes. */
  private static final long BYTES = 20 * 64;

  private static Fetch fetch(Rank rank) {
    return Fetch.DEFAULT.withMacrobatch(1).withCache(Cache.gns(BYTES, rank));
  }

  /** The same cache at any number of workers, however batches come to them. */
  @ParameterizedTest
  @CsvSource({
    "SAGE, DEGREE, false",
    "GCN, VIP, false",
    "GIN, DEGREE, false",
    "GAT, DEGREE, false",
    "SAGE, VIP, true",
  })
  void workersTrainLikeOne(ModelKind kind, Rank rank, boolean sparse) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, sparse)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      var batches = new BatchSettings(9, SampleSettings.neighbours(3, 3));
      TrainSettings settings = settings(batches);
      Fetch plain = fetch(rank);
      // One worker has a cache of features that it does not have in memory.
      Fetch mapped = plain.withInPlace(true);
      Trained alone = shared.alone(settings.withFetch(mapped));
      shared
          .alone(onTwoThreads(batches).withFetch(mapped.withMacrobatch(4).withAhead(true)))
          .assertSameBits(alone);
      List<Trained> all = new ArrayList<>(shared.together(settings.withFetch(plain)));
      Fetch ahead = plain.withMacrobatch(3).withAhead(true);
      all.addAll(shared.together(settings.withFetch(ahead)));
      Fetch replicated = mapped.withTopology(Fetch.Topology.REPLICATED).withMacrobatch(2);
      all.addAll(shared.together(settings.withFetch(replicated)));
      for (Trained each : all) {
        each.assertSameBits(all.getFirst());
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
      }
    }
  }

  /** What batches fetch is what the cache misses, and caches are fetched once an epoch. */
  @Test
  void bytesAreThoseOfMisses() {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 2);
      var shared = new SeedParallelCase(graph, owners, spec(ModelKind.SAGE));
      TrainSettings settings = settings(new BatchSettings(9, SampleSettings.neighbours(3, 3)));
      Counted cached = count(shared, settings.withFetch(fetch(Rank.DEGREE)));
      FetchReport.Rows rows = cached.rows;
      assertThat(rows.kept()).isPositive();
      assertThat(cached.bytes).isEqualTo(ROW * (rows.fetched() + rows.kept()));
      Counted plain = count(shared, settings.withFetch(Fetch.DEFAULT.withMacrobatch(1)));
      assertThat(plain.bytes).isEqualTo(ROW * plain.rows.fetched());
      assertThat(rows.fetched()).isLessThan(plain.rows.fetched());
      // Of what is needed of others more is cached than a cache of random vertices would have.
      double hits = (double) rows.cached() / (rows.cached() + rows.fetched());
      assertThat(hits).isGreaterThan(20.0 / 150);
    }
  }

  private static TrainSettings onTwoThreads(BatchSettings batches) {
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .epochs(SeedParallelCase.EPOCHS)
        .learningRate(0.005f)
        .threads(2)
        .seed(3)
        .batches(batches)
        .build();
  }

  /** What a run fetched and sent of features, all workers together. */
  private record Counted(FetchReport.Rows rows, long bytes) {}

  private static Counted count(SeedParallelCase shared, TrainSettings settings) {
    List<Counted> all = new CopyOnWriteArrayList<>();
    LocalWorkers.run(
        shared.owners().parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training =
              Training.of(shared.graph(), shared.spec(), settings, group, shared.owners())) {
            // What training begins with has sent the first epoch's cache, and some batches.
            long before = Sent.by(group).of(Kind.FEATURE).bytes();
            TrainResult _ = training.run();
            long sent = training.sent().of(Kind.FEATURE).bytes() - before;
            all.add(new Counted(training.fetched().rows(), sent));
          }
        });
    assertThat(all).allMatch(all.getFirst()::equals);
    return all.getFirst();
  }

  /** The cache of an epoch follows from its number: who goes on has it again. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void resumedRunsComeToTheSameBits(boolean ahead, @TempDir Path folder) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      var batches = new BatchSettings(9, SampleSettings.neighbours(3, 3));
      TrainSettings settings =
          onTwoThreads(batches)
              .withFetch(fetch(Rank.DEGREE).withInPlace(true).withMacrobatch(2).withAhead(ahead));
      ModelSpec spec = spec(ModelKind.SAGE);
      List<Double> straight;
      try (Training training = Training.of(graph, spec, settings)) {
        straight = losses(training);
      }
      try (Training training = Training.of(graph, spec, settings)) {
        training.checkpoints(new Checkpoints(folder, 1, 2, _ -> {}));
        training.onEpoch(report -> {
          if (report.epoch() == 2) {
            training.stop();
          }
        });
        assertThat(losses(training)).hasSize(2);
      }
      try (Training training = Training.of(graph, spec, settings)) {
        training.checkpoints(new Checkpoints(folder, 1, 2, _ -> {}));
        assertThat(training.resume()).hasSize(2);
        assertThat(losses(training)).isEqualTo(straight);
      }
    }
  }

  private static List<Double> losses(Training training) {
    return training.run().epochs().stream().map(EpochReport::loss).toList();
  }

  /** LADIES and FastGCN draw for all rows of a batch, whichever worker has them. */
  @ParameterizedTest
  @CsvSource({
    "LADIES, SAGE, false, true",
    "LADIES, GCN, true, true",
    "LADIES, GAT, false, false",
    "FASTGCN, GIN, true, false",
    "FASTGCN, SAGE, true, true",
  })
  void layersAreDrawnAlikeByAllWorkers(
      SamplerKind sampler, ModelKind kind, boolean flat, boolean debias) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec(kind));
      SampleSettings sampling = SampleSettings.layers(sampler, new Layer(flat, debias), 20, 25);
      var batches = new BatchSettings(9, sampling);
      Trained alone = shared.alone(settings(batches));
      shared.alone(onTwoThreads(batches)).assertSameBits(alone);
      Fetch replicated = Fetch.DEFAULT.withTopology(Fetch.Topology.REPLICATED);
      List<Trained> all = new ArrayList<>();
      for (int macrobatch : new int[] {1, 4}) {
        Fetch fetch = replicated.withMacrobatch(macrobatch).withAhead(macrobatch > 1);
        all.addAll(shared.together(settings(batches).withFetch(fetch)));
      }
      for (Trained each : all) {
        each.assertSameBits(all.getFirst());
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
      }
    }
  }
}
