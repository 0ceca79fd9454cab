package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.settings;
import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.ArcExchange;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Step;
import dev.heddle.train.SeedParallelCase.Trained;
import dev.heddle.train.batch.BatchSteps;
import dev.heddle.train.batch.FetchReport;
import dev.heddle.train.batch.StepProgram;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainStep;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Workers that compute every batch together train as one does. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SplitBatchTest {
  private static BatchSettings batches(SplittableRandom random, ModelSpec spec) {
    int fanout = random.nextInt(4) == 0 ? SampleSettings.ALL : 1 + random.nextInt(5);
    SamplerKind kind = random.nextInt(4) == 0 ? SamplerKind.LABOR : SamplerKind.NEIGHBOUR;
    boolean replace = kind == SamplerKind.NEIGHBOUR && random.nextInt(4) == 0;
    int kappa = kind == SamplerKind.LABOR ? 1 + random.nextInt(3) : 1;
    var sampling =
        new SampleSettings(kind, Collections.nCopies(spec.hops(), fanout), replace, false, kappa);
    return new BatchSettings(1 + random.nextInt(30), sampling);
  }

  /** Settings by which workers compute batches together; one worker computes what there is. */
  private static TrainSettings together(BatchSettings batches, CodecKind codec, Fetch fetch) {
    TrainSettings settings = settings(batches);
    return settings.withKnobs(
        settings.knobs().withSplit(Split.BATCH).withCodec(RowCodec.of(codec)).withFetch(fetch));
  }

  private static TrainSettings together(BatchSettings batches) {
    return together(batches, CodecKind.FP32, Fetch.DEFAULT);
  }

  private static TrainSettings alone(TrainSettings settings) {
    return settings.withKnobs(settings.knobs().withSplit(Split.NONE));
  }

  @ParameterizedTest
  @EnumSource
  void everyModelTrainsLikeOneWorker(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    int workers = 2 + random.nextInt(3);
    try (Graph graph = ParallelCase.randomGraph(random, random.nextInt(3) == 0)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      Fetch fetch = Fetch.DEFAULT.withMacrobatch(random.nextInt(9)).withAhead(random.nextBoolean());
      TrainSettings settings = together(batches(random, spec), CodecKind.FP32, fetch);
      Trained alone = shared.alone(alone(settings));
      List<Trained> together = shared.together(settings);
      for (Trained each : together) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
        each.assertSameBits(together.getFirst());
      }
    }
  }

  static Stream<Arguments> sizes() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : List.of(ModelKind.SAGE, ModelKind.GCN, ModelKind.GAT)) {
      for (int workers : new int[] {1, 2, 4, 7}) {
        cases.add(Arguments.of(kind, workers));
      }
    }
    return cases.stream();
  }

  /** T-G1: gradients of all parameters, of which those of the last step of an epoch are there. */
  @ParameterizedTest
  @MethodSource("sizes")
  void gradientsAreThoseOfOneWorker(ModelKind kind, int workers) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings = still(together(batches(random, spec)));
      settings = workers == 1 ? alone(settings) : settings;
      List<List<float[][]>> should;
      try (Training alone = Training.of(graph, spec, alone(settings))) {
        should = gradients(alone);
      }
      for (List<List<float[][]>> is : shared.each(settings, SplitBatchTest::gradients)) {
        for (int epoch = 0; epoch < should.size(); epoch++) {
          assertClose(is.get(epoch), should.get(epoch));
        }
      }
    }
  }

  static Stream<Arguments> depths() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : ModelKind.values()) {
      for (int depth = 1; depth <= (kind == ModelKind.SAGE ? 3 : 2); depth++) {
        // Sgc takes its hops in one.
        if (kind != ModelKind.SGC && (kind.aggregation() != null || kind.attention())) {
          cases.add(Arguments.of(kind, depth));
        }
      }
    }
    return cases.stream();
  }

  /** T-G8: owners may take over at any depth; at the last, each worker has its own seeds' all. */
  @ParameterizedTest
  @MethodSource("depths")
  void everyDepthHasTheSameGradient(ModelKind kind, int depth) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec =
        ModelSpec.of(kind)
            .layers(3)
            .propagations(3)
            .hidden(8)
            .heads(2)
            .dropout(0.3f)
            .attentionDropout(kind.attention() ? 0.2f : 0)
            .norm(NormKind.LAYER)
            .build();
    try (Graph graph = ParallelCase.randomGraph(random, random.nextInt(3) == 0)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      var shared = new SeedParallelCase(graph, owners, spec);
      Fetch fetch = Fetch.DEFAULT.withMacrobatch(random.nextInt(4)).withAhead(random.nextBoolean());
      TrainSettings settings = still(together(batches(random, spec), CodecKind.FP32, fetch));
      List<List<float[][]>> should;
      try (Training alone = Training.of(graph, spec, alone(settings))) {
        should = gradients(alone);
      }
      BatchSplit cut = settings.knobs().batchSplit().withDepth(depth);
      TrainSettings split =
          settings.withKnobs(
              depth == spec.hops()
                  ? settings.knobs().withSplit(Split.SEEDS)
                  : settings.knobs().withBatchSplit(cut));
      for (List<List<float[][]>> is : shared.each(split, SplitBatchTest::gradients)) {
        for (int epoch = 0; epoch < should.size(); epoch++) {
          assertClose(is.get(epoch), should.get(epoch));
        }
      }
    }
  }

  /** Batches of one seed, of which all groups but one have none, among them. */
  @ParameterizedTest
  @CsvSource({"SAGE, 0, 0", "SAGE, 0, 1", "GCN, 1, 0", "GCN, 1, 1", "GAT, 0, 0"})
  void groupsHaveTheSameGradient(ModelKind kind, int depth, int batch) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 4);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings drawn = batches(random, spec);
      TrainSettings settings =
          still(together(batch == 0 ? drawn : new BatchSettings(batch, drawn.sampling())));
      List<List<float[][]>> should;
      try (Training alone = Training.of(graph, spec, alone(settings))) {
        should = gradients(alone);
      }
      TrainSettings grouped = grouped(settings, 2, depth);
      for (List<List<float[][]>> is : shared.each(grouped, SplitBatchTest::gradients)) {
        for (int epoch = 0; epoch < should.size(); epoch++) {
          assertClose(is.get(epoch), should.get(epoch));
        }
      }
    }
  }

  /** Groups divide seeds, and the workers of each compute their batches together. */
  @ParameterizedTest
  @EnumSource
  void groupsTrainLikeOneWorker(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    int groups = 2 + random.nextInt(2);
    int workers = groups * (groups == 2 ? 2 + random.nextInt(2) : 2);
    try (Graph graph = ParallelCase.randomGraph(random, random.nextInt(3) == 0)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      if (random.nextInt(3) == 0) {
        owners = withoutSeedsOfTheLastGroup(owners, groups);
      }
      var shared = new SeedParallelCase(graph, owners, spec);
      Fetch fetch = Fetch.DEFAULT.withMacrobatch(random.nextInt(9)).withAhead(random.nextBoolean());
      TrainSettings settings = together(batches(random, spec), CodecKind.FP32, fetch);
      Trained alone = shared.alone(alone(settings));
      List<Trained> together = shared.together(grouped(settings, groups, 0));
      for (Trained each : together) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
        each.assertSameBits(together.getFirst());
      }
    }
  }

  /** Its parts are left empty. */
  private static Partition withoutSeedsOfTheLastGroup(Partition owners, int groups) {
    int[] owner = new int[owners.vertices()];
    for (int v = 0; v < owner.length; v++) {
      int part = owners.partOf(v);
      owner[v] = part % groups == groups - 1 ? part - 1 : part;
    }
    return Partition.of(owners.parts(), owner);
  }

  private static TrainSettings grouped(TrainSettings settings, int groups, int depth) {
    BatchSplit split = settings.knobs().batchSplit().withDepth(depth).withGroups(groups);
    return settings.withKnobs(settings.knobs().withBatchSplit(split));
  }

  @Test
  void groupsHaveEquallyManyWorkers() {
    ModelSpec spec = spec(ModelKind.SAGE);
    TrainSettings settings =
        grouped(together(new BatchSettings(9, SampleSettings.neighbours(3, 3))), 2, 0);
    for (int workers : new int[] {2, 3, 5}) {
      assertThatThrownBy(() -> Compatibility.check(settings, spec, workers, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "--groups needs several workers in each group, everywhere as many: "
                  + workers
                  + " workers do not make 2 such groups");
    }
    Compatibility.check(settings, spec, 4, null);
  }

  /** Steps so small that parameters stay: each gradient compared is of one step. */
  private static TrainSettings still(TrainSettings settings) {
    return settings(Objects.requireNonNull(settings.batches()), 1e-12f).withKnobs(settings.knobs());
  }

  private static List<List<float[][]>> gradients(Training training) {
    List<List<float[][]>> all = new ArrayList<>();
    for (int epoch = 1; epoch <= 2; epoch++) {
      var _ = training.epoch(epoch);
      all.add(
          training.model().parameters().all().stream()
              .map(Parameter::grad)
              .map(Matrix::toArray)
              .toList());
    }
    return all;
  }

  /** But for float32 sums of another order. */
  private static void assertClose(List<float[][]> is, List<float[][]> should) {
    double all = should.stream().mapToDouble(SplitBatchTest::largest).max().orElse(0);
    assertThat(all).isPositive();
    for (int p = 0; p < should.size(); p++) {
      double scale = Math.max(0.1 * all, largest(should.get(p)));
      for (int r = 0; r < should.get(p).length; r++) {
        for (int c = 0; c < should.get(p)[r].length; c++) {
          double apart = Math.abs(is.get(p)[r][c] - should.get(p)[r][c]);
          assertThat(apart).as("parameter %d, %d, %d", p, r, c).isLessThan(3e-5 * scale);
        }
      }
    }
  }

  private static double largest(float[][] matrix) {
    double largest = 0;
    for (float[] row : matrix) {
      for (float g : row) {
        largest = Math.max(largest, Math.abs(g));
      }
    }
    return largest;
  }

  /**
   * What one worker samples of a batch, and who would have which of it: what workers that compute
   * it together must send, by hop.
   */
  private record Expected(List<int[][]> rowsByHop) {
    static Expected of(
        Graph graph, Partition owners, IntPredicate seeds, BatchSettings batches, ModelSpec spec) {
      var needs = new BlockNeeds(spec.kind().selfLoops(), spec.kind().aggregation(), false);
      List<int[][]> hops = new ArrayList<>();
      try (Memory memory = new Memory();
          ThreadTeam team = ThreadTeam.of(1)) {
        NeighbourSampler sampler =
            NeighbourSampler.of(
                OwnArcs.whole(graph.in()),
                batches.sampling(),
                needs,
                team,
                memory,
                ArcExchange.NONE);
        SampledBatch batch = sampler.newBatch(memory);
        int[] train = TrainableGraph.split(graph).train();
        SeedOrder order = SeedOrder.of(train, batches.size(), 3).seeing(seeds);
        sampler.sample(order.epoch(1), 0, List.of(batch));
        for (int h = 0; h < batch.hops(); h++) {
          hops.add(rows(batch, h, owners));
        }
      }
      return new Expected(hops);
    }

    /** Rows from each worker to each other: of every source once for each that needs it. */
    private static int[][] rows(SampledBatch batch, int hop, Partition owners) {
      int k = owners.parts();
      List<Set<Integer>> needed = new ArrayList<>();
      for (int i = 0; i < k * k; i++) {
        needed.add(new HashSet<>());
      }
      Csr in = batch.hop(hop).in();
      for (int row = 0; row < in.rows(); row++) {
        int to = owners.partOf(batch.ids().at(row));
        for (long arc = in.offset(row); arc < in.offset(row + 1); arc++) {
          int vertex = batch.ids().at(in.id(arc));
          needed.get(owners.partOf(vertex) * k + to).add(vertex);
        }
      }
      int[][] rows = new int[k][k];
      for (int from = 0; from < k; from++) {
        for (int to = 0; to < k; to++) {
          rows[from][to] = from == to ? 0 : needed.get(from * k + to).size();
        }
      }
      return rows;
    }

    long rows(int hop) {
      return Arrays.stream(rowsByHop.get(hop)).flatMapToInt(IntStream::of).sum();
    }

    long pairs(int hop) {
      return Arrays.stream(rowsByHop.get(hop))
          .flatMapToInt(IntStream::of)
          .filter(n -> n > 0)
          .count();
    }
  }

  /**
   * T-G10: of rows, a message a hop there and, but for those of features, back, between each pair
   * that has any; of requests, one a hop; and nothing else.
   */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32, 1", "SAGE, BITS4, 1", "GCN, BITS8, 1", "GAT, FP32, 1", "SAGE, FP32, 4"})
  void sendsWhatTheFormulaSays(ModelKind kind, CodecKind codec, int macrobatch) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    int workers = 3;
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      // All training vertices are in the one batch, or in that many which are counted together.
      BatchSettings batches =
          new BatchSettings(macrobatch == 1 ? 50 : 13, SampleSettings.neighbours(3, 2));
      TrainSettings settings = together(batches, codec, Fetch.DEFAULT.withMacrobatch(macrobatch));
      Map<Kind, long[]> sent = new EnumMap<>(Kind.class);
      for (Map<Kind, long[]> one : sentInAnEpoch(shared, settings)) {
        one.forEach((k, n) -> sent.merge(k, n, (a, b) -> new long[] {a[0] + b[0], a[1] + b[1]}));
      }
      assertThat(sent.keySet()).doesNotContain(Kind.FEATURE, Kind.FEATURE_REQUEST, Kind.SAMPLE);
      long[] requests = Objects.requireNonNull(sent.get(Kind.SAMPLE_REQUEST));
      assertThat(requests[0]).isEqualTo(2L * workers * (workers - 1));
      if (macrobatch == 1) {
        Expected expected = Expected.of(graph, owners, _ -> true, batches, spec);
        boolean attention = kind.attention();
        // Attention sends what features were mapped to, and their gradients come back.
        int wide = attention ? 8 : 12;
        int narrow = attention ? 6 : 8;
        long[] rows = Objects.requireNonNull(sent.get(Kind.HALO));
        assertThat(rows[0])
            .isEqualTo(expected.pairs(1) * (attention ? 2 : 1) + 2 * expected.pairs(0));
        assertThat(rows[1])
            .isEqualTo(
                expected.rows(1) * codec.rowBytes(wide) * (attention ? 2 : 1)
                    + 2 * expected.rows(0) * codec.rowBytes(narrow));
      }
    }
  }

  /** Rows and requests travel within groups alone, and sums of gradients among all workers. */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32", "GCN, BITS8"})
  void groupsSendWhatTheFormulaSays(ModelKind kind, CodecKind codec) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    int groups = 2;
    int ways = 3;
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition parts = ParallelCase.randomOwners(random, graph.vertices(), groups * ways);
      var shared = new SeedParallelCase(graph, parts, spec);
      BatchSettings batches = new BatchSettings(50, SampleSettings.neighbours(3, 2));
      TrainSettings settings = together(batches, codec, Fetch.DEFAULT.withMacrobatch(1));
      List<Map<Kind, long[]>> ungrouped = sentInAnEpoch(shared, settings);
      List<Map<Kind, long[]>> sent = sentInAnEpoch(shared, grouped(settings, groups, 0));
      int[] wayOf = IntStream.range(0, parts.vertices()).map(v -> parts.partOf(v) / 2).toArray();
      Partition owners = Partition.of(ways, wayOf);
      for (int group = 0; group < groups; group++) {
        int g = group;
        Expected expected =
            Expected.of(graph, owners, v -> parts.partOf(v) % 2 == g, batches, spec);
        long[] requests = new long[2];
        long[] rows = new long[2];
        for (int rank = g * ways; rank < (g + 1) * ways; rank++) {
          add(requests, sent.get(rank).get(Kind.SAMPLE_REQUEST));
          add(rows, sent.get(rank).get(Kind.HALO));
        }
        assertThat(requests[0]).isEqualTo(2L * ways * (ways - 1));
        assertThat(rows[0]).isEqualTo(expected.pairs(1) + 2 * expected.pairs(0));
        assertThat(rows[1])
            .isEqualTo(
                expected.rows(1) * codec.rowBytes(12) + 2 * expected.rows(0) * codec.rowBytes(8));
      }
      for (int rank = 0; rank < groups * ways; rank++) {
        Map<Kind, long[]> own = sent.get(rank);
        assertThat(own).doesNotContainKeys(Kind.FEATURE, Kind.FEATURE_REQUEST, Kind.SAMPLE);
        assertThat(own.get(Kind.GRADIENT)).isEqualTo(ungrouped.get(rank).get(Kind.GRADIENT));
      }
    }
  }

  private static void add(long[] to, long @Nullable [] amount) {
    if (amount != null) {
      to[0] += amount[0];
      to[1] += amount[1];
    }
  }

  /** Messages and bytes of each worker, by kind. */
  private static List<Map<Kind, long[]>> sentInAnEpoch(
      SeedParallelCase shared, TrainSettings settings) {
    Map<Integer, Map<Kind, long[]>> all = new ConcurrentSkipListMap<>();
    LocalWorkers.run(
        shared.owners().parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training =
              Training.of(shared.graph(), shared.spec(), settings, group, shared.owners())) {
            Traffic before = group.traffic();
            var _ = training.epoch(1);
            Traffic sent = group.traffic().since(before);
            Map<Kind, long[]> own = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
              if (sent.of(kind).messages() > 0) {
                own.put(kind, new long[] {sent.of(kind).messages(), sent.of(kind).bytes()});
              }
            }
            all.put(group.rank(), own);
          }
        });
    return List.copyOf(all.values());
  }

  /** T-G9 and T-B1: neither how batches are loaded nor what is kept at hand changes a bit. */
  @ParameterizedTest
  @CsvSource({"SAGE, FP32, 1", "GCN, BITS4, 1", "GAT, FP32, 1", "SAGE, BITS4, 2"})
  void howBatchesAreLoadedChangesNoBit(ModelKind kind, CodecKind codec, int groups) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), groups == 1 ? 3 : 4);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(4, SampleSettings.neighbours(4, 3));
      List<Trained> all = new ArrayList<>();
      for (int macrobatch : new int[] {1, 4, 13}) {
        for (boolean ahead : new boolean[] {false, true}) {
          Fetch fetch = Fetch.DEFAULT.withMacrobatch(macrobatch).withAhead(ahead);
          all.addAll(shared.together(grouped(together(batches, codec, fetch), groups, 0)));
        }
      }
      for (Fetch.Rank rank : Fetch.Rank.values()) {
        Fetch mapped =
            Fetch.DEFAULT
                .withInPlace(true)
                .withMacrobatch(3)
                .withCache(new Fetch.Cache(20 * 64, rank));
        TrainSettings settings = grouped(together(batches, codec, mapped), groups, 0);
        all.addAll(shared.together(settings));
        FetchReport report = shared.each(settings, SplitBatchTest::fetched).getFirst();
        // Of its own rows alone: no worker keeps what another has.
        assertThat(report.rows().fetched()).isZero();
        assertThat(report.rows().cached()).isPositive();
      }
      all.forEach(one -> one.assertSameBits(all.getFirst()));
    }
  }

  private static FetchReport fetched(Training training) {
    TrainResult _ = training.run();
    return training.fetched();
  }

  @ParameterizedTest
  @CsvSource({"SAGE, 1", "GCN, 1", "GIN, 1", "SGC, 1", "SAGE, 2", "SGC, 2"})
  void aggregatedInputsTrainLikeThoseOfOneWorker(ModelKind kind, int groups) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), groups == 1 ? 3 : 4);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(9, SampleSettings.neighbours(3, 3));
      TrainSettings settings =
          together(batches, CodecKind.FP32, Fetch.DEFAULT.withAggregatedInputs(true));
      Trained alone = shared.alone(alone(settings));
      for (Trained each : shared.together(grouped(settings, groups, 0))) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
      }
    }
  }

  /** T-G2: outputs of seeds, each at its owner, are those of one worker. */
  @ParameterizedTest
  @EnumSource(names = {"SAGE", "GCN", "GAT", "GATV2", "SAGE_POOL"})
  void outputsAreThoseOfOneWorker(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 4);
      TrainSettings settings = together(batches(random, spec));
      Map<Integer, float[]> should = new TreeMap<>();
      LocalWorkers.run(
          1,
          GroupSettings.DEFAULT,
          group ->
              should.putAll(
                  outputs(graph, Partition.whole(graph.vertices()), spec, settings, group)));
      Map<Integer, float[]> is = new ConcurrentSkipListMap<>();
      LocalWorkers.run(
          4,
          GroupSettings.DEFAULT,
          group -> is.putAll(outputs(graph, owners, spec, settings, group)));
      assertThat(is.keySet()).isEqualTo(should.keySet());
      should.forEach((vertex, row) -> {
        float[] found = Objects.requireNonNull(is.get(vertex));
        for (int c = 0; c < row.length; c++) {
          float size = Math.max(1, Math.abs(row[c]));
          assertThat(found[c]).isCloseTo(row[c], within(1e-5f * size));
        }
      });
    }
  }

  /** Of the first batch, by seed. */
  private static Map<Integer, float[]> outputs(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings, Group group) {
    Map<Integer, float[]> rows = new TreeMap<>();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      Worker worker = new Worker(group, owners, team, memory);
      BatchSettings batches = Objects.requireNonNull(settings.batches());
      try (LocalGraph local = LocalGraph.of(graph, worker, settings.knobs())) {
        Model model = Model.create(spec, local.shape(), memory, 1);
        try (BatchSteps steps = new BatchSteps(local, model, batches, settings)) {
          int _ = steps.begin(1);
          TrainStep step = steps.next();
          if (!step.idle()) {
            StepProgram.of(step).forward(new Step(3).train(1, 0));
            SeedOrder seeds =
                SeedOrder.of(TrainableGraph.split(graph).train(), batches.size(), 3)
                    .seeing(worker::owns)
                    .epoch(1);
            for (int i = 0; i < seeds.count(0); i++) {
              rows.put(seeds.vertex(0, i), StepProgram.of(step).output().toArray()[i]);
            }
          }
          group.barrier();
        }
      }
    }
    return rows;
  }

  /** A run that goes on from a checkpoint comes to the bits of one that was left alone. */
  @ParameterizedTest
  @CsvSource({"SAGE, 1", "GAT, 1", "SAGE, 2"})
  void resumedRunsComeToTheSameBits(ModelKind kind, int groups, @TempDir Path folder) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      int workers = groups == 1 ? 3 : 4;
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      Fetch fetch = Fetch.DEFAULT.withMacrobatch(2).withAhead(random.nextBoolean());
      TrainSettings one = together(batches(random, spec), codec(kind), fetch);
      TrainSettings settings = grouped(one, groups, 0);
      List<Double> undisturbed = shared.each(settings, t -> losses(t, 3)).getFirst();
      List<Double> first =
          shared
              .each(settings, t -> losses(t.checkpoints(new Checkpoints(folder, 1, 2, _ -> {})), 1))
              .getFirst();
      assertThat(first).isEqualTo(undisturbed.subList(0, 1));
      List<List<Double>> rest =
          shared.each(
              settings,
              training -> {
                training.checkpoints(new Checkpoints(folder, 1, 2, _ -> {}));
                assertThat(training.resume()).hasSize(1);
                return losses(training, 3);
              });
      assertThat(rest).allMatch(undisturbed::equals);
    }
  }

  private static CodecKind codec(ModelKind kind) {
    return kind.attention() ? CodecKind.FP32 : CodecKind.BITS8;
  }

  private static List<Double> losses(Training training, int last) {
    training.onEpoch(report -> {
      if (report.epoch() == last) {
        training.stop();
      }
    });
    return training.run().epochs().stream().map(EpochReport::loss).toList();
  }
}
