package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Vertices that were not in training, with arcs to and from those that were: what a model says of
 * them is what one says that was trained where they were there without labels. Weights are frozen
 * after they were drawn, or every step of training would differ: with them all numbers are equal.
 */
class NewVerticesTest {
  private static final int OLD = 300;
  private static final int ALL = 400;
  private static final int WIDTH = 7;
  private static final int CLASSES = 4;

  @TempDir private Path folder;

  /** The first vertices of the union, with the arcs among them. */
  private static Graph of(Graph union, int vertices) {
    Memory memory = Memory.limitedTo(1 << 24);
    int[][] sources = new int[vertices][];
    Matrix features = Matrix.allocate(memory, vertices, WIDTH);
    Matrix all = ((DenseFeatures) Objects.requireNonNull(union.features())).matrix();
    int[] labels = new int[vertices];
    ClassLabels known = (ClassLabels) Objects.requireNonNull(union.labels());
    for (int v = 0; v < vertices; v++) {
      int first = Math.toIntExact(union.in().offset(v));
      int end = Math.toIntExact(union.in().offset(v + 1));
      sources[v] =
          IntStream.range(first, end)
              .map(a -> union.in().id(a))
              .filter(u -> u < vertices)
              .toArray();
      for (int c = 0; c < WIDTH; c++) {
        features.set(v, c, all.get(v, c));
      }
      labels[v] = v < OLD ? known.at(v) : ClassLabels.NONE;
    }
    int[] train = IntStream.range(0, 200).toArray();
    int[] valid = IntStream.range(200, 250).toArray();
    return Graph.builder(memory, "first-" + vertices, Csr.of(memory, vertices, sources))
        .features(new DenseFeatures(features))
        .labels(ClassLabels.of(memory, labels, CLASSES))
        .split(new Split(train, valid, IntStream.range(250, OLD).toArray()))
        .build();
  }

  @ParameterizedTest
  @EnumSource
  void getWhatTrainingOnTheUnionGivesThem(ModelKind kind) {
    ModelSpec spec =
        ModelSpec.of(kind).hidden(8).heads(2).propagations(2).norm(NormKind.NONE).build();
    TrainSettings settings = TrainSettings.builder().epochs(1).threads(1).seed(5).build();
    Path file = folder.resolve("model.safetensors");
    try (Graph generated = SmallGraph.of(ALL, WIDTH, 1);
        Graph old = of(generated, OLD);
        Graph union = of(generated, ALL)) {
      float[][] before;
      try (Training training = Training.of(old, spec, settings)) {
        before = training.predict();
        training.save(file);
      }
      float[][] expected;
      try (Training training = Training.of(union, spec, settings)) {
        expected = training.predict();
      }
      try (Inference inference = Inference.of(union, file, new Inference.Options(1, 1 << 24))) {
        float[][] actual = inference.outputs().toArray();
        assertThat(actual).isDeepEqualTo(expected);
        // Arcs from new vertices reach old ones, wherever a model follows arcs.
        boolean follows = kind != ModelKind.MLP;
        assertThat(Arrays.deepEquals(Arrays.copyOf(actual, OLD), before)).isNotEqualTo(follows);
      }
    }
  }
}
