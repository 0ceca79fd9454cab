package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Epochs that go on for days must not feed the collector. Runs on the scalar kernels: what the
 * engine itself allocates is the same every time, whatever a compiler makes of vectors, which
 * {@link SimdAllocationTest} looks at.
 */
class ZeroAllocationTest {
  /** More rows than a task has, so that threads share the work. */
  private static final int VERTICES = 600;

  private static final int BATCH = 25;

  /** Bytes per epoch with evaluation: room for the scores, none for anything per vertex. */
  private static final long MOST = 1000;

  private static Graph dense;
  private static Graph sparse;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      dense =
          CommunityGraph.of(VERTICES)
              .averageDegree(4)
              .communities(8)
              .classes(5)
              .width(13)
              .seed(3)
              .generate(team);
    }
    Labels labels = TrainableGraph.labels(dense);
    sparse = like(dense, sparseFeatures(dense.memory()), labels);
  }

  /** A graph with the arcs, split and memory of another. */
  private static Graph like(Graph graph, Features features, Labels labels) {
    return Graph.builder(graph.memory(), graph.name(), graph.in())
        .features(features)
        .labels(labels)
        .split(graph.split())
        .build();
  }

  private static Features sparseFeatures(Memory memory) {
    int[][] columns = new int[VERTICES][];
    for (int v = 0; v < VERTICES; v++) {
      columns[v] = new int[] {v % 7, 7 + v % 11, 18 + v % 5};
    }
    Csr csr = Csr.of(memory, 23, columns);
    MemorySegment ones = memory.allocateFloats(csr.arcs());
    for (long i = 0; i < csr.arcs(); i++) {
      ones.setAtIndex(JAVA_FLOAT, i, 1);
    }
    return SparseFeatures.of(memory, csr.withWeights(ones));
  }

  @AfterAll
  static void free() {
    dense.close();
  }

  /** Heads of five columns, which end in the middle of a vector. */
  @ParameterizedTest
  @EnumSource
  void everyModel(ModelKind kind) {
    ModelSpec.Builder spec = spec(kind, NormKind.LAYER).hidden(20).heads(4).outputHeads(2);
    assertAllocatesNothing(dense, spec, TrainSettings.builder().clipNorm(1));
  }

  @ParameterizedTest
  @CsvSource({
    "GCN, NONE, 16, 1, true, true",
    "GCN, BATCH, 33, 1, false, false",
    "SAGE, BATCH, 64, 1, true, true",
    "GAT, NONE, 16, 2, true, false",
    "GAT, BATCH, 33, 3, false, false",
    "GATV2, NONE, 64, 2, true, false",
    "GATV2, BATCH, 12, 4, false, false",
  })
  void otherWidthsAndFeatures(
      ModelKind kind, NormKind norm, int hidden, int heads, boolean isSparse, boolean half) {
    ModelSpec.Builder spec = spec(kind, norm).hidden(hidden).heads(heads);
    assertAllocatesNothing(
        isSparse ? sparse : dense, spec, TrainSettings.builder().halfWidth(half));
  }

  @ParameterizedTest
  @CsvSource({"f1-macro, SGD", "roc-auc, ADAMW"})
  void severalLabels(String metric, OptimizerKind optimizer) {
    Matrix values = Matrix.allocate(dense.memory(), VERTICES, 3);
    for (int v = 0; v < VERTICES; v++) {
      values.set(v, v % 3, 1);
    }
    assertAllocatesNothing(
        like(dense, TrainableGraph.features(dense), new MultiLabels(values)),
        spec(ModelKind.GCN, NormKind.NONE).hidden(16),
        TrainSettings.builder().metric(Metric.named(metric)).optimizer(optimizer));
  }

  @Test
  void realLabels() {
    Matrix values = Matrix.allocate(dense.memory(), VERTICES, 1);
    assertAllocatesNothing(
        like(dense, TrainableGraph.features(dense), new RealLabels(values)),
        spec(ModelKind.GCN, NormKind.NONE).hidden(16),
        TrainSettings.builder());
  }

  private static ModelSpec.Builder spec(ModelKind kind, NormKind norm) {
    return ModelSpec.of(kind)
        .norm(norm)
        .dropout(0.4f)
        .inputDropout(0.2f)
        .attentionDropout(0.3f)
        .propagations(3);
  }

  /** Batches too, once their memory has grown to what they need; with a thread that works ahead. */
  @ParameterizedTest
  @EnumSource
  void everyModelInBatches(ModelKind kind) {
    ModelSpec.Builder spec = spec(kind, NormKind.LAYER).hidden(20).heads(4).outputHeads(2);
    int hops = spec.build().hops();
    var sampling =
        new SampleSettings(SamplerKind.NEIGHBOUR, Collections.nCopies(hops, 3), false, false);
    BatchSettings batches = new BatchSettings(70, sampling);
    assertBatchesAllocateNothing(dense, spec, batches, kind != ModelKind.GCN);
  }

  @ParameterizedTest
  @EnumSource
  void everySampler(SamplerKind kind) {
    List<Integer> fanouts = kind == SamplerKind.CLUSTER ? List.of() : List.of(3, 2);
    var sampling = new SampleSettings(kind, fanouts, false, false);
    assertBatchesAllocateNothing(
        sparse,
        spec(ModelKind.SAGE, NormKind.NONE).hidden(16),
        new BatchSettings(70, sampling),
        false);
  }

  private static void assertBatchesAllocateNothing(
      Graph graph, ModelSpec.Builder spec, BatchSettings batches, boolean ahead) {
    TrainSettings settings =
        TrainSettings.builder()
            .learningRate(1e-3f)
            .clipNorm(1)
            .batches(batches)
            .build()
            .withFetch(Fetch.DEFAULT.withAhead(ahead));
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(2)) {
      var shape = new Model.Shape(TrainableGraph.features(graph).width(), graph.classes());
      Model model = Model.create(spec.build(), shape, memory, 1);
      try (LoopRun trainer = LoopRun.alone(graph, model, settings, team, memory)) {
        long perEpoch = AllocatedBytes.least(BATCH, MOST, trainer::epoch);
        assertThat(perEpoch).as("bytes per epoch").isLessThanOrEqualTo(MOST);
        // Epochs that were seen before need nothing that is not there by now.
        long outside = memory.bytes() + graph.memory().bytes();
        long allocations = memory.allocations();
        double _ = trainer.epoch(1);
        double _ = trainer.epoch(2);
        assertThat(memory.bytes() + graph.memory().bytes())
            .as("bytes outside the heap")
            .isEqualTo(outside);
        assertThat(memory.allocations()).isEqualTo(allocations);
      }
    }
  }

  /** A byte for every eighth vertex, on threads of a team, would not go unseen. */
  @Test
  void allocationOfAnyThreadIsSeen() {
    byte[][] kept = new byte[2][];
    try (ThreadTeam team = ThreadTeam.of(2)) {
      long perEpoch =
          AllocatedBytes.least(
              BATCH, Long.MAX_VALUE, _ -> team.run(2, task -> kept[task] = new byte[(int) MOST]));
      assertThat(perEpoch).isGreaterThan(MOST);
    }
    assertThat(Arrays.stream(kept).mapToInt(b -> b.length)).hasSize(2);
  }

  private static void assertAllocatesNothing(
      Graph graph, ModelSpec.Builder spec, TrainSettings.Builder settings) {
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(2)) {
      var shape = new Model.Shape(TrainableGraph.features(graph).width(), graph.classes());
      Model model = Model.create(spec.build(), shape, memory, 1);
      TrainSettings built = settings.learningRate(1e-3f).build();
      LoopRun trainer = LoopRun.alone(graph, model, built, team, memory);
      trainer.epoch(1);
      trainer.evaluate();
      long outside = memory.bytes() + graph.memory().bytes();
      long perEpoch =
          AllocatedBytes.least(
              BATCH,
              MOST,
              epoch -> {
                trainer.epoch(epoch);
                trainer.evaluate();
              });
      assertThat(perEpoch).as("bytes per epoch").isLessThanOrEqualTo(MOST);
      assertThat(memory.bytes() + graph.memory().bytes())
          .as("bytes outside the heap")
          .isEqualTo(outside);
    }
  }
}
