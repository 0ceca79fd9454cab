package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private static final int EPOCHS = 3;
  private static final long MEMORY = 8L << 20;

  /** What training came to. */
  private record Trained(List<Double> losses, Scores scores, List<float[][]> parameters) {
    static Trained by(Training training) {
      List<Double> losses = new ArrayList<>();
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        losses.add(training.epoch(epoch).loss());
      }
      return new Trained(losses, training.evaluate(), parameters(training));
    }

    private static List<float[][]> parameters(Training training) {
      return training.model().parameters().all().stream()
          .map(Parameter::value)
          .map(Matrix::toArray)
          .toList();
    }

    void assertClose(Trained alone, double tolerance) {
      for (int e = 0; e < EPOCHS; e++) {
        double should = alone.losses.get(e);
        assertThat(losses.get(e)).isCloseTo(should, within(tolerance * Math.abs(should)));
      }
      assertThat(scores.test()).isCloseTo(alone.scores.test(), within(0.03));
    }

    void assertSameBits(Trained other) {
      assertThat(losses).isEqualTo(other.losses);
      assertThat(scores).isEqualTo(other.scores);
      for (int p = 0; p < parameters.size(); p++) {
        assertThat(Arrays.deepEquals(parameters.get(p), other.parameters.get(p))).isTrue();
      }
    }
  }

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

  private static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(2)
        .hidden(8)
        .heads(2)
        .outputHeads(2)
        .propagations(2)
        .dropout(0.3f)
        .attentionDropout(kind.attention() ? 0.2f : 0)
        .norm(NormKind.LAYER)
        .build();
  }

  private static TrainSettings settings(BatchSettings batches) {
    // Small steps without moments: differences of rounding stay as small as they are.
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .epochs(EPOCHS)
        .learningRate(0.005f)
        .threads(1)
        .seed(3)
        .batches(batches)
        .build();
  }

  private static BatchSettings batches(SplittableRandom random, ModelSpec spec) {
    int fanout = random.nextInt(4) == 0 ? SampleSettings.ALL : 1 + random.nextInt(5);
    SamplerKind kind = random.nextInt(4) == 0 ? SamplerKind.LABOR : SamplerKind.NEIGHBOUR;
    boolean replace = kind == SamplerKind.NEIGHBOUR && random.nextInt(4) == 0;
    var sampling =
        new SampleSettings(kind, Collections.nCopies(spec.hops(), fanout), replace, false);
    return BatchSettings.of(1 + random.nextInt(30), sampling).withAhead(random.nextBoolean());
  }

  private static Trained alone(Graph graph, ModelSpec spec, TrainSettings settings) {
    try (Training training = Training.of(graph, spec, settings)) {
      return Trained.by(training);
    }
  }

  private static List<Trained> together(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings) {
    Trained[] all = new Trained[owners.parts()];
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            all[group.rank()] = Trained.by(training);
          }
        });
    return List.of(all);
  }

  @ParameterizedTest
  @MethodSource("models")
  void trainsLikeOneWorker(ModelKind kind, int workers) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, random.nextInt(3) == 0)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      TrainSettings settings =
          settings(batches(random, spec))
              .withFetch(FetchSettings.DEFAULT.withMacrobatch(random.nextInt(9)));
      Trained alone = alone(graph, spec, settings);
      List<Trained> together = together(graph, owners, spec, settings);
      for (Trained each : together) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
        each.assertSameBits(together.getFirst());
      }
    }
  }

  private static TrainSettings settings(BatchSettings batches, HaloCodec codec) {
    return settings(batches).withHalo(new HaloSettings(codec, false));
  }

  /** How many batches are loaded at once changes nothing, also where features are rounded. */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32", "GCN, FP32", "GAT, FP32", "SAGE, BITS8", "GCN, BITS2"})
  void macrobatchesChangeNoBit(ModelKind kind, HaloCodec codec) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    boolean sparse = kind == ModelKind.GCN && !codec.rounds();
    try (Graph drawn = ParallelCase.randomGraph(random, sparse)) {
      // 32 batches: 16 at once, twice.
      Graph graph = trainingOn(drawn, 95);
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var sampling = new SampleSettings(SamplerKind.NEIGHBOUR, List.of(4, 3), false, false);
      BatchSettings batches = BatchSettings.of(3, sampling);
      List<Trained> all = new ArrayList<>();
      for (int macrobatch : new int[] {1, 4, 16}) {
        for (boolean ahead : new boolean[] {false, true}) {
          TrainSettings settings =
              settings(batches.withAhead(ahead), codec)
                  .withFetch(FetchSettings.DEFAULT.withMacrobatch(macrobatch));
          assertThat(plans(graph, owners, spec, settings))
              .allMatch(plan -> plan.macrobatch() == macrobatch);
          all.addAll(together(graph, owners, spec, settings));
        }
      }
      all.forEach(one -> one.assertSameBits(all.getFirst()));
    }
  }

  /** The same graph, of which the first vertices are learnt from; it is in the same memory. */
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
  void whereThingsAreKeptChangesNoBit(ModelKind kind, HaloCodec codec) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      BatchSettings batches = BatchSettings.of(7, SampleSettings.neighbours(3, 3));
      TrainSettings settings = settings(batches, codec);
      FetchSettings plain = FetchSettings.DEFAULT.withMacrobatch(2);
      List<Trained> all = new ArrayList<>(together(graph, owners, spec, settings));
      for (FetchSettings.Rank rank : FetchSettings.Rank.values()) {
        FetchSettings cached = plain.withCache(new FetchSettings.Cache(2000, rank));
        all.addAll(together(graph, owners, spec, settings.withFetch(cached)));
      }
      for (FetchSettings.Topology topology : FetchSettings.Topology.values()) {
        FetchSettings placed = plain.withTopology(topology);
        all.addAll(together(graph, owners, spec, settings.withFetch(placed)));
        all.addAll(together(graph, owners, spec, settings.withFetch(placed.withInPlace(true))));
      }
      var cache = new FetchSettings.Cache(2000, FetchSettings.Rank.VIP);
      FetchSettings both = plain.withCache(cache).withInPlace(true);
      all.addAll(together(graph, owners, spec, settings.withFetch(both)));
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
      BatchSettings batches = BatchSettings.of(5, SampleSettings.neighbours(3, 3));
      FetchSettings fetch = FetchSettings.DEFAULT.withMacrobatch(2);
      for (int epochs : new int[] {1, EPOCHS}) {
        List<List<Double>> all = new ArrayList<>();
        for (boolean ahead : new boolean[] {false, true}) {
          TrainSettings settings = settings(batches.withAhead(ahead)).withFetch(fetch);
          all.addAll(losses(graph, owners, spec, settings, epochs));
        }
        assertThat(all.getFirst()).hasSize(epochs);
        assertThat(all).allMatch(all.getFirst()::equals);
      }
    }
  }

  /** By every worker, the losses of a run that is asked to end after so many epochs. */
  private static List<List<Double>> losses(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings, int last) {
    List<List<Double>> all = Collections.synchronizedList(new ArrayList<>());
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            training.onEpoch(report -> {
              if (report.epoch() == last) {
                training.stop();
              }
            });
            all.add(training.run().epochs().stream().map(EpochReport::loss).toList());
          }
        });
    return all;
  }

  /** As many batches at once as memory allows, and no more memory than was said. */
  @Test
  void memoryIsAsPredicted() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Workers threads = Workers.of(1);
        Graph graph =
            CommunityGraph.of(4000)
                .averageDegree(10)
                .communities(8)
                .classes(4)
                .width(40)
                .seed(random.nextLong())
                .generate(threads)) {
      int[] part = random.ints(graph.vertices(), 0, 3).toArray();
      Partition owners = Partition.of(3, part);
      BatchSettings batches = BatchSettings.of(60, SampleSettings.neighbours(6, 4)).withAhead(true);
      int least = 0;
      for (long megabytes : new long[] {0, 8, 16, 1000}) {
        long memory = Math.max(1, megabytes << 20);
        TrainSettings settings =
            settings(batches).withFetch(FetchSettings.DEFAULT.withMemory(memory));
        FetchReport report = report(graph, owners, spec, settings);
        assertThat(report.loadedBytes())
            .isLessThanOrEqualTo(report.plan().predictedBytes() * 11 / 10);
        if (report.plan().macrobatch() > 1) {
          assertThat(report.plan().predictedBytes()).isLessThanOrEqualTo(memory);
        }
        assertThat(report.plan().macrobatch()).isGreaterThanOrEqualTo(least);
        least = report.plan().macrobatch();
        assertThat(report.deduplication() > 1).isEqualTo(least > 1);
        assertThat(megabytes > 0 || least == 1).isTrue();
      }
      int all = TrainableGraph.split(graph).train().length;
      int rounds = Math.ceilDiv((all + 59) / 60, MacroSampler.MOST_BATCHES);
      assertThat(least).isEqualTo(Math.ceilDiv((all + 59) / 60, rounds));
    }
  }

  /**
   * Many vertices and small batches: what is there for all vertices is not there for each batch.
   */
  @Test
  void tablesOfAllVerticesCountOnce() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Graph graph = manyVertices(random)) {
      Partition owners = Partition.of(2, random.ints(graph.vertices(), 0, 2).toArray());
      BatchSettings batches = BatchSettings.of(200, SampleSettings.neighbours(5, 4));
      for (boolean ahead : new boolean[] {false, true}) {
        TrainSettings settings =
            settings(batches.withAhead(ahead)).withFetch(FetchSettings.DEFAULT.withMemory(MEMORY));
        FetchReport report = report(graph, owners, spec, settings);
        FetchPlan plan = report.plan();
        assertThat(plan.macrobatch()).isGreaterThan(4);
        assertThat(plan.predictedBytes()).isLessThanOrEqualTo(MEMORY);
        assertThat(plan.predictedBytes()).isLessThanOrEqualTo(3 * report.loadedBytes());
        assertThat(report.loadedBytes()).isLessThanOrEqualTo(plan.predictedBytes() * 11 / 10);
        assertThat(plan.warnings()).isEmpty();
      }
    }
  }

  private static Graph manyVertices(SplittableRandom random) {
    try (Workers threads = Workers.of(1)) {
      return CommunityGraph.of(100_000)
          .averageDegree(4)
          .communities(8)
          .classes(4)
          .width(8)
          .split(0.06, 0.01)
          .seed(random.nextLong())
          .generate(threads);
    }
  }

  /** Who wishes for more batches at once than there is memory for gets fewer, and is told so. */
  @Test
  void memoryLimitsWhatWasWishedFor() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Graph graph = manyVertices(random)) {
      // One worker needs more than the other, and both load as many.
      int[] part = random.ints(graph.vertices(), 0, 8).map(p -> p == 0 ? 0 : 1).toArray();
      Partition owners = Partition.of(2, part);
      BatchSettings batches = BatchSettings.of(200, SampleSettings.neighbours(5, 4));
      FetchSettings wished = FetchSettings.DEFAULT.withMacrobatch(30);
      List<FetchPlan> enough = plans(graph, owners, spec, settings(batches).withFetch(wished));
      assertThat(enough).allMatch(p -> p.macrobatch() == 30 && p.warnings().isEmpty());
      FetchSettings limited = wished.withMemory(4_000_000);
      List<FetchPlan> fewer = plans(graph, owners, spec, settings(batches).withFetch(limited));
      assertThat(fewer.getFirst().macrobatch()).isBetween(2, 15);
      assertThat(fewer).allMatch(p -> p.macrobatch() == fewer.getFirst().macrobatch());
      assertThat(fewer).allMatch(p -> p.warnings().equals(fewer.getFirst().warnings()));
      assertThat(fewer).allMatch(p -> p.predictedBytes() <= 4_000_000);
      assertThat(fewer.getFirst().warnings())
          .singleElement()
          .asString()
          .matches("30 batches at once take .* MB where 4.0 MB are for it: at most .* are loaded");
      FetchSettings none = wished.withMemory(1000);
      List<FetchPlan> least = plans(graph, owners, spec, settings(batches).withFetch(none));
      assertThat(least).allMatch(p -> p.macrobatch() == 1);
      assertThat(least.getFirst().warnings())
          .singleElement()
          .asString()
          .startsWith("batches are loaded one by one, and even that takes");
    }
  }

  /** What each worker means to do. */
  private static List<FetchPlan> plans(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings) {
    FetchPlan[] all = new FetchPlan[owners.parts()];
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            all[group.rank()] = training.fetchPlan();
          }
        });
    return List.of(all);
  }

  @ParameterizedTest
  @CsvSource({"33, 16, 11", "32, 16, 16", "5, 16, 5", "17, 16, 9", "7, 1, 1"})
  void roundsOfAnEpochAreOfOneSize(int batches, int most, int even) {
    assertThat(MacroSize.even(batches, most)).isEqualTo(even);
  }

  private static FetchReport report(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings) {
    FetchReport[] first = new FetchReport[1];
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            TrainResult _ = training.run();
            if (group.rank() == 0) {
              first[0] = training.fetched();
            }
          }
        });
    return first[0];
  }

  @ParameterizedTest
  @EnumSource(names = {"SAGE", "GCN", "GIN", "SGC"})
  void aggregatedInputsTrainLikeThoseOfOneWorker(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      BatchSettings batches =
          BatchSettings.of(9, SampleSettings.neighbours(3, 3)).withAggregatedInputs(true);
      TrainSettings settings = settings(batches);
      Trained alone = alone(graph, spec, settings);
      for (Trained each : together(graph, owners, spec, settings)) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
      }
    }
  }

  /**
   * What several workers' epochs come to.
   *
   * @param bytes of features that all sent
   */
  private record Epochs(double first, double last, long bytes) {}

  private static Epochs epochs(Graph graph, ModelSpec spec, TrainSettings settings) {
    int[] part = IntStream.range(0, graph.vertices()).map(v -> v % 3).toArray();
    Partition owners = Partition.of(3, part);
    Epochs[] all = new Epochs[3];
    LocalWorkers.run(
        3,
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            Traffic before = group.traffic();
            double first = training.epoch(1).loss();
            double last = first;
            for (int epoch = 2; epoch <= settings.epochs(); epoch++) {
              last = training.epoch(epoch).loss();
            }
            long[] bytes = {group.traffic().since(before).of(Kind.FEATURE).bytes()};
            group.sum(bytes);
            all[group.rank()] = new Epochs(first, last, bytes[0]);
          }
        });
    return all[2];
  }

  /** Rounded features are as good as exact ones, at exactly so much fewer bytes. */
  @ParameterizedTest
  @CsvSource({
    "SAGE, BITS8, false, 0.02",
    "GCN, BITS8, true, 0.02",
    "SAGE, BITS4, true, 0.1",
    "GCN, BITS4, false, 0.1"
  })
  void roundedFeaturesTrainAlmostLikeExactOnes(
      ModelKind kind, HaloCodec codec, boolean aggregated, double tolerance) {
    SplittableRandom random = TestSeed.random(this);
    int width = 13;
    try (Workers threads = Workers.of(1);
        Graph graph =
            CommunityGraph.of(600)
                .averageDegree(6)
                .communities(8)
                .classes(4)
                .width(width)
                .seed(random.nextLong())
                .generate(threads)) {
      ModelSpec spec =
          ModelSpec.of(kind).layers(2).hidden(16).dropout(0).norm(NormKind.LAYER).build();
      BatchSettings batches =
          BatchSettings.of(40, SampleSettings.neighbours(4, 4)).withAggregatedInputs(aggregated);
      TrainSettings exact =
          TrainSettings.builder()
              .epochs(20)
              .learningRate(0.01f)
              .threads(1)
              .seed(3)
              .batches(batches)
              .build();
      Epochs expected = epochs(graph, spec, exact);
      Epochs rounded = epochs(graph, spec, exact.withHalo(new HaloSettings(codec, false)));
      assertThat(expected.last).isLessThan(0.9 * expected.first);
      assertThat(rounded.first).isCloseTo(expected.first, within(tolerance * expected.first));
      assertThat(rounded.last).isCloseTo(expected.last, within(tolerance * expected.first));
      assertThat(rounded.last).isNotEqualTo(expected.last);
      long rows = expected.bytes / (4L * width);
      assertThat(rows).isPositive();
      assertThat(rounded.bytes).isEqualTo(rows * (4 + (width * codec.bits() + 7) / 8));
    }
  }

  @Test
  void refusesCodecsThatDoNotSuitFeatures() {
    SplittableRandom random = TestSeed.random(this);
    BatchSettings batches = BatchSettings.of(8, SampleSettings.neighbours(2, 2));
    HaloSettings four = new HaloSettings(HaloCodec.BITS4, false);
    for (boolean sparse : new boolean[] {false, true}) {
      try (Graph graph = ParallelCase.randomGraph(random, sparse)) {
        Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 2);
        Map<HaloSettings, String> refused = new LinkedHashMap<>();
        refused.put(
            new HaloSettings(HaloCodec.ADAPTIVE, false),
            "at one width: use codec bits2, bits4 or bits8, not adaptive");
        refused.put(new HaloSettings(HaloCodec.RANDOM, false), "not random");
        refused.put(four.withDelta(true), "which do not change");
        refused.put(four.withPreAggregate(true), "use --pre-aggregate off");
        if (sparse) {
          refused.put(four, "sparse features as they are, and bits4 is for rows of dense ones");
        }
        ModelSpec sage = spec(ModelKind.SAGE);
        for (Map.Entry<HaloSettings, String> each : refused.entrySet()) {
          TrainSettings settings = settings(batches).withHalo(each.getKey());
          assertThatThrownBy(() -> together(graph, owners, sage, settings))
              .hasMessageContaining(each.getValue());
        }
        TrainSettings settings = settings(batches).withHalo(four);
        assertThatThrownBy(() -> together(graph, owners, spec(ModelKind.GAT), settings))
            .hasMessageContaining("gat weighs neighbours by rows that bits4 would round");
      }
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
      TrainSettings settings = settings(BatchSettings.of(7, SampleSettings.neighbours(2, 2)));
      LocalWorkers.run(
          owners.parts(),
          GroupSettings.DEFAULT,
          group -> {
            try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
              Trained trained = Trained.by(training);
              float[][] outputs = training.predict();
              if (group.rank() == 0) {
                assertLikeTheWhole(whole, trained, outputs);
              }
            }
          });
    }
  }

  private static TrainSettings wholeGraph() {
    return TrainSettings.builder().threads(1).seed(3).build();
  }

  /** The same parameters, forward over all of the graph. */
  private static void assertLikeTheWhole(Training whole, Trained trained, float[][] outputs) {
    List<Parameter> parameters = whole.model().parameters().all();
    for (int p = 0; p < parameters.size(); p++) {
      float[][] values = trained.parameters.get(p);
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
        assertThat(outputs[v][c]).as("vertex %d", v).isCloseTo(should[v][c], within(1e-5f * size));
      }
    }
    Scores scores = whole.evaluate();
    // A vertex whose two best outputs are equal but for rounding may fall either way.
    assertThat(trained.scores.test()).isCloseTo(scores.test(), within(0.021));
    assertThat(trained.scores.valid()).isCloseTo(scores.valid(), within(0.021));
  }

  /** All arcs everywhere where memory allows it: then nothing is asked for when sampling. */
  @Test
  void topologyFollowsMemory() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Workers threads = Workers.of(1);
        Graph graph =
            CommunityGraph.of(2000)
                .averageDegree(200)
                .communities(4)
                .classes(4)
                .width(8)
                .seed(random.nextLong())
                .generate(threads)) {
      Partition owners = Partition.of(2, random.ints(graph.vertices(), 0, 2).toArray());
      FetchSettings auto = FetchSettings.DEFAULT.withTopology(FetchSettings.Topology.AUTO);
      // Arcs take just more than a quarter, and far less.
      long arcs = 8L * graph.vertices() + 4 * graph.arcs();
      for (long limit : new long[] {4 * arcs - 4, 16 * arcs}) {
        TrainSettings settings =
            TrainSettings.builder()
                .epochs(1)
                .evaluateEvery(0)
                .threads(1)
                .memoryLimit(limit)
                .batches(BatchSettings.of(200, SampleSettings.neighbours(3, 3)))
                .build()
                .withFetch(auto);
        boolean everywhere = limit == 16 * arcs;
        assertThat(requests(graph, owners, spec, settings) == 0).isEqualTo(everywhere);
        assertThat(plans(graph, owners, spec, settings))
            .extracting(FetchPlan::topology)
            .containsOnly(
                everywhere
                    ? FetchSettings.Topology.REPLICATED
                    : FetchSettings.Topology.PARTITIONED);
      }
    }
  }

  /** What is aggregated beforehand is not asked for: no message of the last hop. */
  @Test
  void aggregatedInputsTakeAHopLess() {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      long ofAHop = 0;
      for (int hops = 1; hops <= 3; hops++) {
        ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(hops).hidden(8).build();
        Integer[] fanouts = Collections.nCopies(hops, 3).toArray(Integer[]::new);
        BatchSettings batches = BatchSettings.of(9, SampleSettings.neighbours(fanouts));
        long sampled = requests(graph, owners, spec, settings(batches));
        BatchSettings once = batches.withAggregatedInputs(true);
        long given = requests(graph, owners, spec, settings(once));
        ofAHop = hops == 1 ? sampled : ofAHop;
        assertThat(ofAHop).isPositive();
        assertThat(sampled).isEqualTo(hops * ofAHop);
        assertThat(given).isEqualTo((hops - 1) * ofAHop);
      }
    }
  }

  /** Messages by which workers ask for samples in a run. */
  private static long requests(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings) {
    Sent sent = sent(graph, owners, spec, settings);
    return Objects.requireNonNull(sent.byKind().get(Kind.SAMPLE_REQUEST)).messages();
  }

  private static Sent sent(Graph graph, Partition owners, ModelSpec spec, TrainSettings settings) {
    Sent[] all = new Sent[owners.parts()];
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            TrainResult _ = training.run();
            all[group.rank()] = training.sent();
          }
        });
    return all[0];
  }

  @Test
  void refusesWhatCannotWork() {
    SplittableRandom random = TestSeed.random(this);
    var sampling = SampleSettings.neighbours(2, 2);
    TrainSettings settings = settings(BatchSettings.of(8, sampling));
    try (Graph dense = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, dense.vertices(), 2);
      ModelSpec normed = ModelSpec.of(ModelKind.SAGE).layers(2).norm(NormKind.BATCH).build();
      assertThatThrownBy(() -> together(dense, owners, normed, settings))
          .hasMessageContaining("norm batch needs all rows");
      var cluster = new SampleSettings(SamplerKind.CLUSTER, List.of(), false, false);
      TrainSettings parts = settings(BatchSettings.of(8, cluster));
      assertThatThrownBy(() -> together(dense, owners, spec(ModelKind.SAGE), parts))
          .hasMessageContaining("cluster sampler needs all arcs");
      TrainSettings half =
          TrainSettings.builder().halfWidth(true).batches(BatchSettings.of(8, sampling)).build();
      assertThatThrownBy(() -> together(dense, owners, spec(ModelKind.SAGE), half))
          .hasMessageContaining("several workers fetch the features of batches as they are");
    }
  }
}
