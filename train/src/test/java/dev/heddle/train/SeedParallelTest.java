package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.EPOCHS;
import static dev.heddle.train.SeedParallelCase.settings;
import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.train.SeedParallelCase.Trained;
import dev.heddle.train.batch.FetchReport;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Several workers that share batches train as one does, however many batches they load at once. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SeedParallelTest {
  static Stream<Arguments> models() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : ModelKind.values()) {
      cases.add(Arguments.of(kind, 2 + cases.size() % 3));
    }
    for (int workers : new int[] {2, 3, 4}) {
      cases.add(Arguments.of(ModelKind.SAGE, workers));
      cases.add(Arguments.of(ModelKind.GCN, workers));
    }
    return cases.stream();
  }

  private static BatchSettings batches(SplittableRandom random, ModelSpec spec) {
    int fanout = random.nextInt(4) == 0 ? SampleSettings.ALL : 1 + random.nextInt(5);
    SamplerKind kind = random.nextInt(4) == 0 ? SamplerKind.LABOR : SamplerKind.NEIGHBOUR;
    boolean replace = kind == SamplerKind.NEIGHBOUR && random.nextInt(4) == 0;
    var sampling =
        new SampleSettings(kind, Collections.nCopies(spec.hops(), fanout), replace, false);
    return new BatchSettings(1 + random.nextInt(30), sampling);
  }

  @ParameterizedTest
  @MethodSource("models")
  void trainsLikeOneWorker(ModelKind kind, int workers) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, random.nextInt(3) == 0)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings =
          settings(batches(random, spec))
              .withFetch(
                  Fetch.DEFAULT.withMacrobatch(random.nextInt(9)).withAhead(random.nextBoolean()));
      Trained alone = shared.alone(settings);
      List<Trained> together = shared.together(settings);
      for (Trained each : together) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
        each.assertSameBits(together.getFirst());
      }
    }
  }

  /** Features in half the memory are those of one worker, and travel as they lie. */
  @ParameterizedTest
  @CsvSource({"SAGE, false", "GCN, true"})
  void halfWidthFeaturesTrainLikeOneWorker(ModelKind kind, boolean inPlace) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings =
          settings(new BatchSettings(9, SampleSettings.neighbours(4, 3)))
              .withHalfWidth(true)
              .withFetch(Fetch.DEFAULT.withInPlace(inPlace).withMacrobatch(3).withAhead(true));
      Trained alone = shared.alone(settings);
      List<Trained> together = shared.together(settings);
      for (Trained each : together) {
        each.assertClose(alone, 1e-5);
        each.assertSameBits(together.getFirst());
      }
      // Rows of 12 columns are a cache line of 32 halves; as floats they are 48 bytes.
      long rows = featureBytes(shared, settings.withHalfWidth(false)) / 48;
      assertThat(rows).isPositive();
      assertThat(featureBytes(shared, settings)).isEqualTo(64 * rows);
    }
  }

  private static FetchReport fetched(SeedParallelCase shared, TrainSettings settings) {
    return shared
        .each(
            settings,
            training -> {
              TrainResult _ = training.run();
              return training.fetched();
            })
        .getFirst();
  }

  private static long featureBytes(SeedParallelCase shared, TrainSettings settings) {
    return shared
        .each(
            settings,
            training -> {
              TrainResult _ = training.run();
              return training.sent();
            })
        .getFirst()
        .byKind()
        .getOrDefault(Kind.FEATURE, new Sent.Amount(0, 0))
        .bytes();
  }

  /** One worker, too, loads several batches at once and keeps rows of features in a cache. */
  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GAT"})
  void oneWorkerLoadsAlikeInAnyWay(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition whole = Partition.whole(graph.vertices());
      var one = new SeedParallelCase(graph, whole, spec);
      TrainSettings plain = settings(new BatchSettings(7, SampleSettings.neighbours(4, 3)));
      Trained expected = one.alone(plain);
      one.alone(plain.withFetch(Fetch.DEFAULT.withMacrobatch(4))).assertSameBits(expected);
      for (Fetch.Rank rank : Fetch.Rank.values()) {
        Fetch mapped =
            Fetch.DEFAULT
                .withInPlace(true)
                .withMacrobatch(3)
                .withCache(new Fetch.Cache(40 * 64, rank));
        one.alone(plain.withFetch(mapped)).assertSameBits(expected);
        FetchReport.Rows rows = fetched(one, plain.withFetch(mapped)).rows();
        assertThat(rows.fetched()).isZero();
        assertThat(rows.cached()).isPositive();
      }
    }
  }

  /** How many batches are loaded at once changes nothing, also where features are rounded. */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32", "GCN, FP32", "GAT, FP32", "SAGE, BITS8", "GCN, BITS2"})
  void macrobatchesChangeNoBit(ModelKind kind, CodecKind codec) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    boolean sparse = kind == ModelKind.GCN && !codec.rounds();
    try (Graph drawn = ParallelCase.randomGraph(random, sparse)) {
      // 32 batches: 16 at once, twice.
      Graph graph = trainingOn(drawn, 95);
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      var sampling = new SampleSettings(SamplerKind.NEIGHBOUR, List.of(4, 3), false, false);
      BatchSettings batches = new BatchSettings(3, sampling);
      List<Trained> all = new ArrayList<>();
      for (int macrobatch : new int[] {1, 4, 16}) {
        for (boolean ahead : new boolean[] {false, true}) {
          TrainSettings settings =
              settings(batches)
                  .withKnobs(Knobs.DEFAULT.withCodec(RowCodec.of(codec)))
                  .withFetch(Fetch.DEFAULT.withMacrobatch(macrobatch).withAhead(ahead));
          assertThat(shared.plans(settings)).allMatch(plan -> plan.macrobatch() == macrobatch);
          all.addAll(shared.together(settings));
        }
      }
      all.forEach(one -> one.assertSameBits(all.getFirst()));
    }
  }

  /** A graph of which only the first vertices are learnt from, in the memory of the one given. */
  private static Graph trainingOn(Graph graph, int count) {
    int all = graph.vertices();
    int middle = (count + all) / 2;
    return Graph.builder(graph.memory(), graph.name(), graph.in())
        .features(TrainableGraph.features(graph))
        .labels(TrainableGraph.labels(graph))
        .split(
            new Split(
                IntStream.range(0, count).toArray(),
                IntStream.range(count, middle).toArray(),
                IntStream.range(middle, all).toArray()))
        .build();
  }

  /**
   * Caches and arcs at hand change nothing either; aggregated inputs as little as for one worker.
   */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32", "GCN, FP32", "GAT, FP32", "SAGE, BITS2", "GCN, BITS8"})
  void whereThingsAreKeptChangesNoBit(ModelKind kind, CodecKind codec) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(7, SampleSettings.neighbours(3, 3));
      TrainSettings settings =
          settings(batches).withKnobs(Knobs.DEFAULT.withCodec(RowCodec.of(codec)));
      Fetch plain = Fetch.DEFAULT.withMacrobatch(2);
      List<Trained> all = new ArrayList<>(shared.together(settings));
      for (Fetch.Rank rank : Fetch.Rank.values()) {
        Fetch cached = plain.withCache(new Fetch.Cache(2000, rank));
        all.addAll(shared.together(settings.withFetch(cached)));
      }
      for (Fetch.Topology topology : Fetch.Topology.values()) {
        Fetch placed = plain.withTopology(topology);
        all.addAll(shared.together(settings.withFetch(placed)));
        all.addAll(shared.together(settings.withFetch(placed.withInPlace(true))));
      }
      var cache = new Fetch.Cache(2000, Fetch.Rank.VIP);
      Fetch both = plain.withCache(cache).withInPlace(true);
      all.addAll(shared.together(settings.withFetch(both)));
      all.forEach(one -> one.assertSameBits(all.getFirst()));
    }
  }

  /** Runs load the next epoch's batches while the last are trained on, and may end before it. */
  @Test
  void epochsAheadChangeNoBit() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(5, SampleSettings.neighbours(3, 3));
      Fetch fetch = Fetch.DEFAULT.withMacrobatch(2);
      for (int epochs : new int[] {1, EPOCHS}) {
        List<List<Double>> all = new ArrayList<>();
        for (boolean ahead : new boolean[] {false, true}) {
          TrainSettings settings = settings(batches).withFetch(fetch.withAhead(ahead));
          all.addAll(shared.each(settings, training -> losses(training, epochs)));
        }
        assertThat(all.getFirst()).hasSize(epochs);
        assertThat(all).allMatch(all.getFirst()::equals);
      }
    }
  }

  /** The losses of a run that is asked to end after so many epochs. */
  private static List<Double> losses(Training training, int last) {
    training.onEpoch(report -> {
      if (report.epoch() == last) {
        training.stop();
      }
    });
    return training.run().epochs().stream().map(EpochReport::loss).toList();
  }

  @ParameterizedTest
  @EnumSource(names = {"SAGE", "GCN", "GIN", "SGC"})
  void aggregatedInputsTrainLikeThoseOfOneWorker(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings =
          settings(new BatchSettings(9, SampleSettings.neighbours(3, 3)))
              .withFetch(Fetch.DEFAULT.withAggregatedInputs(true));
      Trained alone = shared.alone(settings);
      for (Trained each : shared.together(settings)) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
      }
    }
  }

  /** A trained model, and what it says of every vertex. */
  private record Outputs(Trained trained, List<float[]> rows) {
    static Outputs of(Training training) {
      return new Outputs(Trained.by(training), List.of(training.predict()));
    }
  }

  /** Scores are not sampled: outputs are those of the whole graph at one worker. */
  @ParameterizedTest
  @EnumSource(names = {"SAGE", "GCN", "GAT"})
  void scoresAreThoseOfTheWholeGraph(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, random.nextBoolean());
        Training whole = Training.of(graph, spec, wholeGraph())) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings = settings(new BatchSettings(7, SampleSettings.neighbours(2, 2)));
      assertLikeTheWhole(whole, shared.each(settings, Outputs::of).getFirst());
    }
  }

  private static TrainSettings wholeGraph() {
    return TrainSettings.builder().threads(1).seed(3).build();
  }

  /** Checks scores by the trained parameters, forward over all of the graph. */
  private static void assertLikeTheWhole(Training whole, Outputs outputs) {
    Trained trained = outputs.trained;
    List<Parameter> parameters = whole.model().parameters().all();
    for (int p = 0; p < parameters.size(); p++) {
      float[][] values = trained.parameters().get(p);
      for (int row = 0; row < values.length; row++) {
        for (int c = 0; c < values[row].length; c++) {
          parameters.get(p).value().set(row, c, values[row][c]);
        }
      }
    }
    float[][] should = whole.predict();
    for (int v = 0; v < should.length; v++) {
      for (int c = 0; c < should[v].length; c++) {
        float size = Math.max(1, Math.abs(should[v][c]));
        assertThat(outputs.rows.get(v)[c])
            .as("vertex %d", v)
            .isCloseTo(should[v][c], within(1e-5f * size));
      }
    }
    Scores scores = whole.evaluate();
    // A vertex whose two best outputs are equal but for rounding may fall either way.
    assertThat(trained.scores().test()).isCloseTo(scores.test(), within(0.021));
    assertThat(trained.scores().valid()).isCloseTo(scores.valid(), within(0.021));
  }

  @Test
  void refusesWhatCannotWork() {
    SplittableRandom random = TestSeed.random(this);
    var sampling = SampleSettings.neighbours(2, 2);
    TrainSettings settings = settings(new BatchSettings(8, sampling));
    try (Graph dense = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, dense.vertices(), 2);
      var sage = new SeedParallelCase(dense, owners, spec(ModelKind.SAGE));
      ModelSpec normed = ModelSpec.of(ModelKind.SAGE).layers(2).norm(NormKind.BATCH).build();
      assertThatThrownBy(() -> new SeedParallelCase(dense, owners, normed).together(settings))
          .hasMessageContaining("norm batch needs all rows");
      var cluster = new SampleSettings(SamplerKind.CLUSTER, List.of(), false, false);
      TrainSettings parts = settings(new BatchSettings(8, cluster));
      assertThatThrownBy(() -> sage.together(parts))
          .hasMessageContaining("cluster sampler needs all arcs");
      TrainSettings half =
          TrainSettings.builder()
              .halfWidth(true)
              .batches(new BatchSettings(8, sampling))
              .knobs(Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.BITS8)))
              .build();
      assertThatThrownBy(() -> sage.together(half))
          .hasMessageContaining("as bfloat16 with --half, or at the bits of --codec bits8");
      TrainSettings cached =
          settings(new BatchSettings(8, sampling))
              .withFetch(Fetch.DEFAULT.withCache(new Fetch.Cache(4096, Fetch.Rank.VIP)));
      assertThatThrownBy(() -> sage.alone(cached))
          .hasMessageContaining("has all of them in memory");
    }
  }
}
