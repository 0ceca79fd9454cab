package dev.heddle.graph;

import dev.heddle.graph.store.Store;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
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
  private final @Nullable Csr out;
  private final @Nullable ArcTypes arcTypes;
  private final List<String> classNames;
  private final FeatureSchema featureSchema;
  private final boolean bothWays;
  private final Supplier<@Nullable Split> split;
  private final @Nullable VertexIds ids;
  private final Permutation order;

  private Graph(Builder from) {
    memory = from.memory;
    name = from.name;
    in = from.in;
    features = from.features;
    labels = from.labels;
    out = from.out;
    arcTypes = from.arcTypes;
    classNames = from.classNames;
    featureSchema = from.featureSchema;
    bothWays = from.bothWays;
    split = from.split;
    ids = from.ids;
    order = from.order;
  }

  /** A graph of arcs by destination; it closes {@code memory} when it is closed. */
  public static Builder builder(Memory memory, String name, Csr in) {
    return new Builder(memory, name, in);
  }

  /**
   * Opens a store, in no time, or reads a folder of tables; faults are {@link
   * GraphFormatException}s.
   */
  public static Graph open(Path folder, ReadOptions options) {
    return Store.isStore(folder)
        ? Store.open(folder).graph(options)
        : GraphFolder.read(folder, options);
  }

  /** Opens a store or folder as {@link ReadOptions#DEFAULT} says. */
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
    private @Nullable Csr out;
    private @Nullable ArcTypes arcTypes;
    private List<String> classNames = List.of();
    private FeatureSchema featureSchema = FeatureSchema.UNNAMED;
    private boolean bothWays;
    private Supplier<@Nullable Split> split = () -> null;
    private @Nullable VertexIds ids;
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

    /** What classes, or several labels, are called, by their numbers. */
    public Builder classNames(List<String> value) {
      classNames = List.copyOf(value);
      return this;
    }

    /** What columns of features are called, and what was done to them. */
    public Builder featureSchema(FeatureSchema value) {
      featureSchema = value;
      return this;
    }

    /** That every arc was given a reverse; sums of weights may yet differ in their last bits. */
    public Builder bothWays(boolean value) {
      bothWays = value;
      return this;
    }

    public Builder split(@Nullable Split value) {
      split = () -> value;
      return this;
    }

    /** A split that is only read when it is asked for. */
    public Builder lazySplit(Supplier<@Nullable Split> value) {
      split = value;
      return this;
    }

    /**
     * The transposed arcs where they are there already; those of a symmetric graph are its arcs.
     */
    public Builder out(@Nullable Csr value) {
      out = value;
      return this;
    }

    /** What arcs stand for, where they differ in that. */
    public Builder arcTypes(@Nullable ArcTypes value) {
      arcTypes = value;
      return this;
    }

    /** What the user calls the vertices; null for their numbers. */
    public Builder ids(@Nullable VertexIds value) {
      ids = value;
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
      requireRows("ids", ids == null ? in.rows() : ids.rows());
      requireNames("features", featureSchema.names(), features == null ? 0 : features.width());
      requireNames("classes", classNames, labels == null ? 0 : labels.width());
      if (arcTypes != null && arcTypes.arcs() != in.arcs()) {
        throw new IllegalArgumentException(
            "types of " + arcTypes.arcs() + " arcs do not fit a graph of " + in.arcs());
      }
      return new Graph(this);
    }

    private static void requireNames(String what, List<String> names, int expected) {
      if (!names.isEmpty() && names.size() != expected) {
        throw new IllegalArgumentException(
            names.size() + " names do not fit " + expected + " " + what);
      }
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

  /** The transposed arcs, by source; null where they are not there yet. */
  public @Nullable Csr out() {
    return out;
  }

  /** What each arc of {@link #in} stands for; null where they are all alike. */
  public @Nullable ArcTypes arcTypes() {
    return arcTypes;
  }

  /** Whether every arc is known to go both ways, with equal weights. */
  public boolean symmetric() {
    return in.equals(out);
  }

  /** Whether every arc goes both ways; weights may differ in their last bits. */
  public boolean bothWays() {
    return bothWays || symmetric();
  }

  /**
   * This graph with other features and labels. It shares memory with this one: who closes one
   * closes both.
   */
  public Graph with(
      @Nullable Features otherFeatures,
      FeatureSchema schema,
      @Nullable Labels otherLabels,
      List<String> names) {
    return new Builder(memory, name, in)
        .out(out)
        .arcTypes(arcTypes)
        .features(otherFeatures)
        .featureSchema(schema)
        .labels(otherLabels)
        .classNames(names)
        .bothWays(bothWays)
        .lazySplit(split)
        .ids(ids)
        .order(order)
        .build();
  }

  /**
   * The block in which every vertex aggregates its neighbours; what has to be made for it is made
   * in {@code target}.
   */
  public Block block(Memory target, boolean selfLoops) {
    Csr arcs = in;
    if (selfLoops) {
      arcs = SelfLoops.added(target, in);
      in.unload();
    }
    if (symmetric()) {
      return Block.of(target, arcs, arcs);
    }
    return out == null || selfLoops ? Block.of(target, arcs) : Block.of(target, in, out);
  }

  public @Nullable Features features() {
    return features;
  }

  /** What columns of features are called, and what was done to them. */
  public FeatureSchema featureSchema() {
    return featureSchema;
  }

  public @Nullable Labels labels() {
    return labels;
  }

  /** What a class is called: its number where it has no name. */
  public String className(int number) {
    return number < classNames.size() ? classNames.get(number) : Integer.toString(number);
  }

  /** What classes are called; empty where only by their numbers. */
  public List<String> classNames() {
    return classNames;
  }

  public @Nullable Split split() {
    return split.get();
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

  /** The user's name of a vertex of this graph. */
  public String idOf(int vertex) {
    int index = userIndex(vertex);
    return ids == null ? Integer.toString(index) : ids.at(index);
  }

  /** The vertex of this graph that has that name, or {@link VertexIds#NONE}. */
  public int vertexOf(String id) {
    int index = ids == null ? number(id) : ids.find(id);
    return index == VertexIds.NONE ? VertexIds.NONE : localIndex(index);
  }

  private int number(String id) {
    try {
      int value = Integer.parseInt(id);
      return value >= 0 && value < vertices() ? value : VertexIds.NONE;
    } catch (NumberFormatException _) {
      return VertexIds.NONE;
    }
  }

  /** The names by {@link #userIndex}; null where they are those numbers. */
  public @Nullable VertexIds ids() {
    return ids;
  }

  /** How the vertices' order here comes from the user's. */
  public Permutation order() {
    return order;
  }

  /** This graph with its vertices in another order, in memory of its own. */
  public Graph reordered(VertexOrder next) {
    return reordered(next.of(in, 0, memory));
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
