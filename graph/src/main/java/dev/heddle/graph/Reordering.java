package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Moves everything that a graph knows of its vertices to their new places. */
final class Reordering {
  private final Permutation order;
  private final Memory memory;

  private Reordering(Permutation order, Memory memory) {
    this.order = order;
    this.memory = memory;
  }

  /**
   * A copy of a graph in a new order.
   *
   * @param order from the graph's present order
   * @param fromUser from the user's order
   */
  static Graph of(Graph graph, Permutation order, Permutation fromUser) {
    Memory memory = graph.memory().sibling();
    try {
      Reordering moved = new Reordering(order, memory);
      ArcTypes types = graph.arcTypes();
      Csr in = order.arcs(memory, graph.in());
      return Graph.builder(memory, graph.name(), in)
          .out(graph.symmetric() ? in : null)
          .arcTypes(types == null ? null : types.reordered(memory, graph.in(), order))
          .features(moved.features(graph.features()))
          .featureSchema(graph.featureSchema())
          .bothWays(graph.bothWays())
          .classNames(graph.classNames())
          .labels(moved.labels(graph.labels()))
          .split(moved.split(graph.split()))
          .ids(moved.ids(graph.ids()))
          .order(fromUser)
          .build();
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  private @Nullable Features features(@Nullable Features features) {
    return switch (features) {
      case null -> null;
      case DenseFeatures dense -> new DenseFeatures(order.rows(memory, dense.matrix()));
      case SparseFeatures sparse -> SparseFeatures.of(memory, order.rows(memory, sparse.byRow()));
    };
  }

  private @Nullable Labels labels(@Nullable Labels labels) {
    return switch (labels) {
      case null -> null;
      case ClassLabels classes -> {
        MemorySegment values = memory.allocateInts(classes.rows());
        for (int v = 0; v < classes.rows(); v++) {
          values.setAtIndex(JAVA_INT, v, classes.at(order.oldOf(v)));
        }
        yield new ClassLabels(values, classes.rows(), classes.classes());
      }
      case MultiLabels multi -> new MultiLabels(order.rows(memory, multi.values()));
      case RealLabels real -> new RealLabels(order.rows(memory, real.values()));
    };
  }

  /** Names stay in the user's order; the copy is so that the old graph may be closed. */
  private @Nullable VertexIds ids(@Nullable VertexIds ids) {
    return switch (ids) {
      case null -> null;
      case LongIds longs -> new LongIds(copy(longs.values()), copy(longs.sorted()), longs.rows());
      case StringIds strings ->
          new StringIds(
              copy(strings.offsets()),
              copy(strings.bytes()),
              copy(strings.sorted()),
              strings.rows());
    };
  }

  private MemorySegment copy(MemorySegment segment) {
    return memory.allocate(segment.byteSize()).copyFrom(segment);
  }

  private @Nullable Split split(@Nullable Split split) {
    return split == null
        ? null
        : new Split(part(split.train()), part(split.valid()), part(split.test()));
  }

  private int[] part(int[] vertices) {
    int[] moved = Arrays.stream(vertices).map(order::newOf).toArray();
    Arrays.sort(moved);
    return moved;
  }
}
