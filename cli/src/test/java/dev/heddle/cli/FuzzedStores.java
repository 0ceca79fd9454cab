package dev.heddle.cli;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.FeatureScaling;
import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.Graph;
import dev.heddle.graph.LongIds;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Small stores that between them have every array and every kind of value there is: the healthy
 * ones of which corrupted ones are made. A new kind of array joins one of them, or a new one.
 */
final class FuzzedStores {
  static final List<String> NAMES = List.of("directed", "words", "numbers");
  static final int VERTICES = 24;

  private FuzzedStores() {}

  static void write(Path folder) {
    directed(folder.resolve("directed"));
    words(folder.resolve("words"));
    numbers(folder.resolve("numbers"));
  }

  /** Rows of neighbours at these distances on a ring. */
  private static Csr ring(Memory memory, int... steps) {
    int[][] rows = new int[VERTICES][];
    for (int v = 0; v < VERTICES; v++) {
      TreeSet<Integer> row = new TreeSet<>();
      for (int step : steps) {
        row.add(Math.floorMod(v + step, VERTICES));
      }
      rows[v] = row.stream().mapToInt(Integer::intValue).toArray();
    }
    return Csr.of(memory, VERTICES, rows);
  }

  private static MemorySegment values(Memory memory, long count) {
    MemorySegment values = memory.allocateFloats(count);
    for (long i = 0; i < count; i++) {
      values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (1 + i % 3));
    }
    return values;
  }

  private static Matrix matrix(Memory memory, int columns, boolean bits) {
    Matrix matrix = Matrix.allocate(memory, VERTICES, columns);
    for (int v = 0; v < VERTICES; v++) {
      for (int c = 0; c < columns; c++) {
        int value = (v * 7 + c * 3) % 5;
        matrix.set(v, c, bits ? value % 2 : value);
      }
    }
    return matrix;
  }

  private static Split split() {
    return new Split(range(0, 12), range(12, 18), range(18, VERTICES - 1));
  }

  private static int[] range(int from, int to) {
    return IntStream.range(from, to).toArray();
  }

  /** Weighted arcs one way, of two types; dense features and classes with names; ids of text. */
  private static void directed(Path store) {
    Memory memory = new Memory();
    Csr arcs = ring(memory, -1, -3);
    int[] classes = IntStream.range(0, VERTICES).map(v -> v % 2).toArray();
    classes[VERTICES - 1] = ClassLabels.NONE;
    ArcTypes types = ArcTypes.allocate(memory, arcs.arcs(), List.of("knows", "likes"));
    for (long arc = 0; arc < types.arcs(); arc += 2) {
      types.set(arc, 1);
    }
    List<String> names = IntStream.range(0, VERTICES).mapToObj(v -> "v" + v).toList();
    try (Graph graph =
        Graph.builder(memory, "directed", arcs.withWeights(values(memory, arcs.arcs())))
            .arcTypes(types)
            .features(new DenseFeatures(matrix(memory, 3, false)))
            .featureSchema(new FeatureSchema(List.of("a", "b", "c"), FeatureScaling.NONE))
            .labels(ClassLabels.of(memory, classes, 2))
            .classNames(List.of("even", "odd"))
            .split(split())
            .ids(StringIds.of(memory, names))
            .build()) {
      StoreWriter.write(graph, store, false);
    }
  }

  /** Arcs both ways; sparse features, several labels, ids that are numbers. */
  private static void words(Path store) {
    Memory memory = new Memory();
    Csr arcs = ring(memory, -1, 1, -4, 4);
    Csr words = ring(memory, 0, 2);
    long[] names = IntStream.range(0, VERTICES).mapToLong(v -> 1000L - v).toArray();
    try (Graph graph =
        Graph.builder(memory, "words", arcs)
            .out(arcs)
            .features(SparseFeatures.of(memory, words.withWeights(values(memory, words.arcs()))))
            .labels(new MultiLabels(matrix(memory, 2, true)))
            .split(split())
            .ids(LongIds.of(memory, names))
            .build()) {
      StoreWriter.write(graph, store, false);
    }
  }

  /** Arcs both ways; dense features and numbers to predict. */
  private static void numbers(Path store) {
    Memory memory = new Memory();
    Csr arcs = ring(memory, -1, 1);
    try (Graph graph =
        Graph.builder(memory, "numbers", arcs)
            .out(arcs)
            .features(new DenseFeatures(matrix(memory, 9, false)))
            .labels(new RealLabels(matrix(memory, 1, false)))
            .split(split())
            .build()) {
      StoreWriter.write(graph, store, false);
    }
  }
}
