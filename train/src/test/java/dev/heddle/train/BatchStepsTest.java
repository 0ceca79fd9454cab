package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.HalfCopy;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.pipeline.StageSeconds;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchStepsTest {
  private static final Knobs AHEAD = Knobs.DEFAULT.withFetch(Fetch.DEFAULT.withAhead(true));
  private static final Knobs AGGREGATED =
      Knobs.DEFAULT.withFetch(Fetch.DEFAULT.withAggregatedInputs(true));

  private static final int WIDTH = 11;

  @TempDir private Path folder;
  private SplittableRandom random = new SplittableRandom();
  private Graph dense;
  private Graph sparse;
  private Graph weighted;

  @BeforeEach
  void generate() {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println("BatchStepsTest -Dheddle.seed=" + seed);
    random = new SplittableRandom(seed);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      dense =
          CommunityGraph.of(700)
              .averageDegree(6)
              .communities(8)
              .classes(4)
              .width(WIDTH)
              .seed(seed)
              .generate(team);
    }
    sparse = like(sparseFeatures(dense.memory(), dense.vertices()), dense.in());
    MemorySegment weights = dense.memory().allocateFloats(dense.arcs());
    for (long arc = 0; arc < dense.arcs(); arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, (float) random.nextDouble(0.2, 3));
    }
    weighted = like(TrainableGraph.features(dense), dense.in().withWeights(weights));
  }

  @AfterEach
  void free() {
    dense.close();
  }

  /** A graph with the labels, split and memory of the dense one. */
  private Graph like(Features features, Csr in) {
    return Graph.builder(dense.memory(), dense.name(), in)
        .features(features)
        .labels(dense.labels())
        .split(dense.split())
        .build();
  }

  private Features sparseFeatures(Memory memory, int vertices) {
    int[][] columns = new int[vertices][];
    for (int v = 0; v < vertices; v++) {
      columns[v] = random.ints(random.nextInt(5), 0, WIDTH).sorted().distinct().toArray();
    }
    Csr csr = Csr.of(memory, WIDTH, columns);
    MemorySegment values = memory.allocateFloats(csr.arcs());
    for (long i = 0; i < csr.arcs(); i++) {
      values.setAtIndex(JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
    return SparseFeatures.of(memory, csr.withWeights(values));
  }

  private static ModelSpec spec(ModelKind kind, float dropout, float inputDropout) {
    return ModelSpec.of(kind)
        .layers(2)
        .hidden(8)
        .heads(2)
        .outputHeads(2)
        .propagations(2)
        .dropout(dropout)
        .inputDropout(inputDropout)
        .attentionDropout(dropout)
        .norm(NormKind.LAYER)
        .build();
  }

  private static SampleSettings fanouts(ModelSpec spec, int each) {
    int hops = hops(spec);
    return new SampleSettings(SamplerKind.NEIGHBOUR, Collections.nCopies(hops, each), false, false);
  }

  private static int hops(ModelSpec spec) {
    return spec.kind() == ModelKind.MLP ? 0 : 2;
  }

  /** Loss and gradients of the first epoch, and the parameters that training comes to. */
  @SuppressWarnings("ArrayRecordComponent") // Compared element by element.
  private record Run(double loss, List<float[][]> gradients, List<float[][]> parameters) {
    boolean equalsBitByBit(Run other) {
      return loss == other.loss
          && Arrays.deepEquals(parameters.toArray(), other.parameters.toArray());
    }

    void assertClose(Run other) {
      assertThat(loss).isCloseTo(other.loss, within(1e-5 * Math.abs(loss)));
      for (int p = 0; p < gradients.size(); p++) {
        float[][] a = gradients.get(p);
        float[][] b = other.gradients.get(p);
        for (int row = 0; row < a.length; row++) {
          for (int c = 0; c < a[row].length; c++) {
            assertThat(a[row][c])
                .as("parameter %d, %d, %d", p, row, c)
                .isCloseTo(b[row][c], within(1e-5f * Math.max(1, Math.abs(b[row][c]))));
          }
        }
      }
    }
  }

  private static Run run(Graph graph, ModelSpec spec, TrainSettings.Builder settings, int epochs) {
    TrainSettings built = settings.seed(9).build();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(built.threads())) {
      var shape = new Model.Shape(TrainableGraph.features(graph).width(), graph.classes());
      Model model = Model.create(spec, shape, memory, 9);
      try (LoopRun trainer = LoopRun.alone(graph, model, built, team, memory)) {
        double loss = trainer.epoch(1);
        List<float[][]> gradients = new ArrayList<>();
        model.parameters().all().forEach(p -> gradients.add(p.grad().toArray()));
        for (int epoch = 2; epoch <= epochs; epoch++) {
          loss = trainer.epoch(epoch);
        }
        List<float[][]> parameters = new ArrayList<>();
        model.parameters().all().forEach(p -> parameters.add(p.value().toArray()));
        return new Run(loss, gradients, parameters);
      }
    }
  }

  private static TrainSettings.Builder settings() {
    return TrainSettings.builder().threads(2).learningRate(0.01f);
  }

  /** All neighbours of all training vertices: what the whole graph gives. */
  @ParameterizedTest
  @EnumSource
  void oneBatchOfAllIsFullGraphTraining(ModelKind kind) {
    for (Graph graph : List.of(dense, sparse, weighted)) {
      for (float inputDropout : new float[] {0, 0.3f}) {
        ModelSpec spec = spec(kind, 0.4f, inputDropout);
        Run full = run(graph, spec, settings(), 1);
        BatchSettings all = new BatchSettings(graph.vertices(), fanouts(spec, -1));
        run(graph, spec, settings().batches(all), 1).assertClose(full);
      }
    }
  }

  /** Residual layers read a vertex's own features too. */
  @Test
  void residualsAreTheSameToo() {
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(3).hidden(8).residual(true).build();
    Run full = run(dense, spec, settings(), 1);
    var all = new BatchSettings(dense.vertices(), SampleSettings.neighbours(-1, -1, -1));
    run(dense, spec, settings().batches(all), 1).assertClose(full);
  }

  @ParameterizedTest
  @EnumSource
  void bitsDependOnNeitherThreadsNorWorkingAhead(ModelKind kind) {
    Graph graph = random.nextBoolean() ? dense : sparse;
    ModelSpec spec = spec(kind, 0.4f, random.nextBoolean() ? 0.2f : 0);
    BatchSettings batches = new BatchSettings(64, fanouts(spec, 3));
    Run one = run(graph, spec, settings().threads(1).batches(batches), 3);
    assertThat(run(graph, spec, settings().threads(3).batches(batches), 3).equalsBitByBit(one))
        .as("3 threads")
        .isTrue();
    assertThat(run(graph, spec, settings().batches(batches).knobs(AHEAD), 3).equalsBitByBit(one))
        .as("ahead")
        .isTrue();
  }

  /** T-B8: the input of layer 1 is that of all neighbours, and the hops above are as they were. */
  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GIN", "SGC"})
  void aggregatedInputsAreThoseOfAllNeighbours(ModelKind kind) {
    Graph graph = random.nextBoolean() ? dense : weighted;
    ModelSpec spec = spec(kind, 0.3f, 0);
    // One batch, so that gradients are compared before any step.
    int size = graph.vertices();
    BatchSettings sampled = new BatchSettings(size, SampleSettings.neighbours(4, -1));
    Run all = run(graph, spec, settings().batches(sampled), 1);
    BatchSettings once = new BatchSettings(size, SampleSettings.neighbours(4, 2));
    run(graph, spec, settings().batches(once).knobs(AGGREGATED), 1).assertClose(all);
  }

  /** Features in half the memory are those rounded before; nothing else is rounded. */
  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GIN", "SGC"})
  void halfWidthFeaturesAreThoseRoundedBefore(ModelKind kind) {
    Matrix features = ((DenseFeatures) TrainableGraph.features(dense)).matrix();
    HalfMatrix half = HalfMatrix.allocate(dense.memory(), features.rows(), features.cols());
    Matrix rounded = Matrix.allocate(dense.memory(), features.rows(), features.cols());
    try (ThreadTeam team = ThreadTeam.of(1)) {
      HalfMatrix _ = new HalfCopy(half).run(team, features.rows(), features);
    }
    for (int v = 0; v < features.rows(); v++) {
      for (int c = 0; c < features.cols(); c++) {
        rounded.set(v, c, half.get(v, c));
      }
    }
    ModelSpec spec = spec(kind, 0.3f, 0);
    BatchSettings batches = new BatchSettings(64, fanouts(spec, 3));
    Run before =
        run(like(new DenseFeatures(rounded), dense.in()), spec, settings().batches(batches), 1);
    Run one = run(dense, spec, settings().threads(1).halfWidth(true).batches(batches), 1);
    one.assertClose(before);
    Run three = run(dense, spec, settings().threads(3).halfWidth(true).batches(batches), 1);
    assertThat(three.equalsBitByBit(one)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"GAT", "GATV2", "SAGE_POOL", "MLP"})
  void whatCannotBeAggregatedBeforeIsRefused(ModelKind kind) {
    ModelSpec spec = spec(kind, 0, 0);
    BatchSettings once = new BatchSettings(64, fanouts(spec, 2));
    assertThatThrownBy(() -> run(dense, spec, settings().batches(once).knobs(AGGREGATED), 1))
        .hasMessageContaining("inputs can be aggregated once where");
  }

  @Test
  void everyHopNeedsAFanOut() {
    BatchSettings one = new BatchSettings(64, SampleSettings.neighbours(4));
    ModelSpec spec = spec(ModelKind.SAGE, 0, 0);
    assertThatThrownBy(() -> run(dense, spec, settings().batches(one), 1))
        .hasMessageContaining("this sage takes 2 hops and a fan-out for each, not 1");
  }

  /** All parts of the graph in one batch are the graph. */
  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GAT", "GIN", "MLP"})
  void allClustersAreTheWholeGraph(ModelKind kind) {
    Graph graph = random.nextBoolean() ? dense : weighted;
    ModelSpec spec = spec(kind, 0.4f, 0.2f);
    Run full = run(graph, spec, settings(), 1);
    var all = new SampleSettings(SamplerKind.CLUSTER, List.of(), false, false);
    run(graph, spec, settings().batches(new BatchSettings(graph.vertices(), all)), 1)
        .assertClose(full);
  }

  /** A subgraph that reaches as far as the model has all that its root's output depends on. */
  @ParameterizedTest
  @EnumSource(names = {"SAGE", "GAT", "GIN", "SAGE_POOL"})
  void fullShadowsGiveTheRootsOfTheWholeGraph(ModelKind kind) {
    ModelSpec spec = spec(kind, 0, 0);
    Run full = run(dense, spec, settings(), 1);
    var all = new SampleSettings(SamplerKind.SHADOW, List.of(-1, -1), false, false);
    Run shadow = run(dense, spec, settings().batches(new BatchSettings(1000, all)), 1);
    assertThat(shadow.loss).isCloseTo(full.loss, within(1e-5));
  }

  @ParameterizedTest
  @EnumSource
  void everySamplerComesToTheSameBits(SamplerKind kind) {
    ModelSpec spec = spec(ModelKind.SAGE, 0.2f, 0);
    List<Integer> fanouts = kind == SamplerKind.CLUSTER ? List.of() : List.of(3, 4);
    var sampling = new SampleSettings(kind, fanouts, false, false);
    BatchSettings batches = new BatchSettings(60, sampling);
    Run one = run(dense, spec, settings().threads(1).batches(batches), 3);
    assertThat(one.loss).isFinite().isPositive();
    Run ahead = run(dense, spec, settings().batches(batches).knobs(AHEAD), 3);
    assertThat(ahead.equalsBitByBit(one)).isTrue();
    assertThat(run(dense, spec, settings().batches(batches), 3).equalsBitByBit(one)).isTrue();
  }

  /** The last batch is smaller; batches of one vertex, and more than all. */
  @Test
  void anySizeOfBatchWillDo() {
    ModelSpec spec = spec(ModelKind.SAGE, 0.2f, 0);
    Split split = TrainableGraph.split(dense);
    for (int size : new int[] {1, split.train().length - 1, split.train().length + 5}) {
      Run run = run(dense, spec, settings().batches(new BatchSettings(size, fanouts(spec, 2))), 1);
      assertThat(run.loss).isFinite().isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SAGE", "GAT"})
  void resumedRunsComeToTheSameBits(ModelKind kind) {
    ModelSpec spec = spec(kind, 0.3f, 0);
    BatchSettings batches = new BatchSettings(50, fanouts(spec, 3));
    TrainSettings settings = settings().epochs(6).batches(batches).knobs(AHEAD).build();
    TrainResult straight;
    try (Training training = Training.of(dense, spec, settings)) {
      straight = training.run();
    }
    try (Training training = Training.of(dense, spec, settings)) {
      training.checkpoints(new Checkpoints(folder, 1, 2, _ -> {}));
      training.onEpoch(report -> {
        if (report.epoch() == 3) {
          training.stop();
        }
      });
      TrainResult _ = training.run();
    }
    try (Training training = Training.of(dense, spec, settings)) {
      training.checkpoints(new Checkpoints(folder, 1, 2, _ -> {}));
      assertThat(training.resume()).hasSize(3);
      TrainResult result = training.run();
      assertThat(result.loss()).isEqualTo(straight.loss());
      assertThat(result.test()).isEqualTo(straight.test());
    }
    TrainSettings without = settings().epochs(6).build();
    try (Training training = Training.of(dense, spec, without)) {
      training.checkpoints(new Checkpoints(folder, 1, 2, _ -> {}));
      assertThatThrownBy(training::resume).hasMessageContaining("is of a run with batch");
    }
  }

  /** Sampled neighbours are enough to learn what there is to learn. */
  @Test
  void batchesLearn() {
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(16).dropout(0).build();
    BatchSettings batches = new BatchSettings(64, SampleSettings.neighbours(5, 5));
    TrainSettings settings = settings().epochs(20).batches(batches).build();
    try (Training training = Training.of(dense, spec, settings)) {
      TrainResult result = training.run();
      assertThat(result.train()).isGreaterThan(0.6);
      StageSeconds stages = training.stageSeconds();
      assertThat(stages.sample()).isPositive();
      assertThat(stages.fetch()).isPositive();
      assertThat(stages.compute()).isPositive();
    }
  }
}
