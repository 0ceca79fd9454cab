package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A graph with what is known of its vertices, and the owner of the memory all that lies in.
 *
 * <p>Vertices are numbered from 0. Features, labels and split are there or not: a graph that was
 * only given arcs can still be partitioned, sampled or looked at.
 */
public final class Graph implements AutoCloseable {
  private final Memory memory;
  private final String name;
  private final Csr in;
  private final @Nullable Features features;
  private final @Nullable Labels labels;
  private final @Nullable Split split;
  private final Permutation order;

  private Graph(Builder from) {
    memory = from.memory;
    name = from.name;
    in = from.in;
    features = from.features;
    labels = from.labels;
    split = from.split;
    order = from.order;
  }

  /** A graph of arcs by destination; it closes {@code memory} when it is closed. */
  public static Builder builder(Memory memory, String name, Csr in) {
    return new Builder(memory, name, in);
  }

  /** Reads a folder; faults are {@link GraphFormatException}s. */
  public static Graph open(Path folder, ReadOptions options) {
    return GraphFolder.read(folder, options);
  }

  /** Reads a folder as {@link ReadOptions#DEFAULT} says. */
  public static Graph open(Path folder) {
    return open(folder, ReadOptions.DEFAULT);
  }

  /** The parts of a graph; those left out are absent. */
  public static final class Builder {
    private final Memory memory;
    private final String name;
    private final Csr in;
    private @Nullable Features features;
    private @Nullable Labels labels;
    private @Nullable Split split;
    private Permutation order;

    private Builder(Memory memory, String name, Csr in) {
      this.memory = memory;
      this.name = name;
      this.in = in;
      this.order = Permutation.identity(in.rows());
    }

    public Builder features(@Nullable Features value) {
      features = value;
      return this;
    }

    public Builder labels(@Nullable Labels value) {
      labels = value;
      return this;
    }

    public Builder split(@Nullable Split value) {
      split = value;
      return this;
    }

    /** How the vertices' order here comes from the user's. */
    Builder order(Permutation value) {
      order = value;
      return this;
    }

    /** The graph; parts that do not fit together are refused. */
    public Graph build() {
      if (in.rows() != in.cols()) {
        throw new IllegalArgumentException("a graph's arcs are square, not " + in);
      }
      requireRows("features", features == null ? in.rows() : features.rows());
      requireRows("labels", labels == null ? in.rows() : labels.rows());
      return new Graph(this);
    }

    private void requireRows(String what, int rows) {
      if (rows != in.rows()) {
        throw new IllegalArgumentException(
            what + " of " + rows + " vertices do not fit a graph of " + in.rows());
      }
    }
  }

  public String name() {
    return name;
  }

  public int vertices() {
    return in.rows();
  }

  public long arcs() {
    return in.arcs();
  }

  /** Arcs by destination, sources ascending. */
  public Csr in() {
    return in;
  }

  public @Nullable Features features() {
    return features;
  }

  public @Nullable Labels labels() {
    return labels;
  }

  public @Nullable Split split() {
    return split;
  }

  /** Outputs that the labels ask for; 0 without labels. */
  public int classes() {
    return labels == null ? 0 : labels.width();
  }

  /** What the user calls a vertex of this graph; results are told in these numbers. */
  public int userIndex(int vertex) {
    return order.oldOf(vertex);
  }

  /** The vertex of this graph that the user calls so. */
  public int localIndex(int userIndex) {
    return order.newOf(userIndex);
  }

  /** This graph with its vertices in another order, in memory of its own. */
  public Graph reordered(VertexOrder next) {
    return reordered(next.of(in, 0));
  }

  /** This graph with its vertices in another order, in memory of its own. */
  public Graph reordered(Permutation next) {
    return Reordering.of(this, next, order.then(next));
  }

  /** Where everything of this graph lies, for what is derived from it and lives as long. */
  public Memory memory() {
    return memory;
  }

  @Override
  public void close() {
    memory.close();
  }

  @Override
  public String toString() {
    return "Graph[" + name + ", " + vertices() + " vertices, " + arcs() + " arcs]";
  }
}
