package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.Arcs;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.LongIds;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.VertexIds;
import dev.heddle.graph.VertexOrder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Small graphs of every kind. */
final class RandomGraphs {
  private final SplittableRandom random;

  RandomGraphs(SplittableRandom random) {
    this.random = random;
  }

  /** A random source that prints how to have it again. */
  static SplittableRandom seeded(Object test) {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println(test.getClass().getSimpleName() + " -Dheddle.seed=" + seed);
    return new SplittableRandom(seed);
  }

  /** A graph whose parts are there or not, and of one kind or another, at random. */
  Graph next() {
    Memory memory = new Memory();
    int vertices = 1 + random.nextInt(40);
    Csr in = arcs(memory, vertices);
    Labels labels = labels(memory, vertices);
    Graph graph =
        Graph.builder(memory, "graph \"of\" 試験 " + vertices, in)
            .features(features(memory, vertices))
            .labels(labels)
            .classNames(names(labels))
            .arcTypes(types(memory, in))
            .split(random.nextInt(3) == 0 ? null : split(labels, vertices))
            .ids(ids(memory, vertices))
            .build();
    if (random.nextInt(3) > 0) {
      return graph;
    }
    try (graph) {
      return graph.reordered(VertexOrder.DEGREE);
    }
  }

  private Csr arcs(Memory memory, int vertices) {
    boolean weighted = random.nextBoolean();
    Set<Arcs.Option> options = EnumSet.noneOf(Arcs.Option.class);
    for (Arcs.Option option : Arcs.Option.values()) {
      if (random.nextBoolean()) {
        options.add(option);
      }
    }
    Arcs arcs = weighted ? Arcs.weighted(memory) : Arcs.unweighted(memory);
    for (int i = random.nextInt(4 * vertices); i > 0; i--) {
      arcs.add(random.nextInt(vertices), random.nextInt(vertices), 1 + random.nextInt(9));
    }
    return arcs.toCsr(memory, vertices, options);
  }

  private List<String> names(@Nullable Labels labels) {
    return labels instanceof ClassLabels c && random.nextBoolean()
        ? IntStream.range(0, c.classes()).mapToObj(i -> "class \\ \"" + i).toList()
        : List.of();
  }

  private @Nullable ArcTypes types(Memory memory, Csr in) {
    if (random.nextBoolean()) {
      return null;
    }
    ArcTypes types = ArcTypes.allocate(memory, in.arcs(), List.of("knows", "likes", "wrote, with"));
    for (long arc = 0; arc < in.arcs(); arc++) {
      types.set(arc, random.nextInt(3));
    }
    return types;
  }

  private @Nullable Features features(Memory memory, int vertices) {
    return switch (random.nextInt(3)) {
      case 0 -> null;
      case 1 -> new DenseFeatures(matrix(memory, vertices, 1 + random.nextInt(20), false));
      default -> {
        int width = 1 + random.nextInt(30);
        int[][] columns = new int[vertices][];
        for (int v = 0; v < vertices; v++) {
          columns[v] = IntStream.range(0, width).filter(_ -> random.nextInt(4) == 0).toArray();
        }
        Csr rows = Csr.of(memory, width, columns);
        var values = memory.allocateFloats(rows.arcs());
        for (long i = 0; i < rows.arcs(); i++) {
          values.setAtIndex(JAVA_FLOAT, i, random.nextInt(100));
        }
        yield SparseFeatures.of(memory, rows.withWeights(values));
      }
    };
  }

  private Matrix matrix(Memory memory, int rows, int cols, boolean binary) {
    Matrix matrix = Matrix.allocate(memory, rows, cols);
    matrix.fill(Float.NaN);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        matrix.set(r, c, binary ? random.nextInt(2) : (float) random.nextDouble());
      }
    }
    return matrix;
  }

  private @Nullable Labels labels(Memory memory, int vertices) {
    return switch (random.nextInt(4)) {
      case 0 -> null;
      case 1 -> {
        int classes = 1 + random.nextInt(5);
        int[] values = new int[vertices];
        Arrays.setAll(values, _ -> random.nextInt(classes + 1) - 1);
        yield ClassLabels.of(memory, values, classes);
      }
      case 2 -> new MultiLabels(matrix(memory, vertices, 1 + random.nextInt(9), true));
      default -> new RealLabels(matrix(memory, vertices, 1 + random.nextInt(3), false));
    };
  }

  private Split split(@Nullable Labels labels, int vertices) {
    int[] part = new int[vertices];
    Arrays.setAll(
        part, v -> labels instanceof ClassLabels c && c.at(v) < 0 ? 3 : random.nextInt(4));
    int[][] parts = new int[3][];
    for (int p = 0; p < 3; p++) {
      int wanted = p;
      parts[p] = IntStream.range(0, vertices).filter(v -> part[v] == wanted).toArray();
    }
    return new Split(parts[0], parts[1], parts[2]);
  }

  private @Nullable VertexIds ids(Memory memory, int vertices) {
    Set<Long> numbers = new HashSet<>();
    while (numbers.size() < vertices) {
      numbers.add(random.nextLong() >> random.nextInt(60));
    }
    long[] names = numbers.stream().mapToLong(Long::longValue).toArray();
    return switch (random.nextInt(3)) {
      case 0 -> null;
      case 1 -> LongIds.of(memory, names);
      default ->
          StringIds.of(
              memory, Arrays.stream(names).mapToObj(n -> (n % 2 == 0 ? "é" : "x") + n).toList());
    };
  }
}
