package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Reads a graph from two CSV tables, one of vertices and one of edges, whose ids may be any text.
 * Tables are held in memory while they are read.
 */
public final class GraphTables {
  public static final String SOURCE = "src";
  public static final String TARGET = "dst";
  private static final String WEIGHT = "weight";

  private final Path vertices;
  private final Path edges;
  private VertexColumns columns = VertexColumns.DEFAULT;
  private String source = SOURCE;
  private String target = TARGET;
  private Consumer<String> notes = _ -> {};

  private GraphTables(Path vertices, Path edges) {
    this.vertices = vertices;
    this.edges = edges;
  }

  /** Tables whose columns have the usual names. */
  public static GraphTables of(Path vertices, Path edges) {
    return new GraphTables(vertices, edges);
  }

  /** What the columns of vertices are called. */
  public GraphTables columns(VertexColumns value) {
    columns = value;
    return this;
  }

  /** Which columns of the edges hold the ids of their ends; {@code weight} need not be there. */
  public GraphTables ends(String sourceColumn, String targetColumn) {
    source = sourceColumn;
    target = targetColumn;
    return this;
  }

  /** Is told, in a line each, what of the tables is not used. */
  public GraphTables notes(Consumer<String> value) {
    notes = value;
    return this;
  }

  /**
   * Reads both tables; faults are {@link GraphFormatException}s.
   *
   * @param options whether arcs go one way, whether feature rows are normalised, and what memory
   *     the graph may take
   */
  public Graph read(ReadOptions options) {
    VertexTable table = VertexTable.read(vertices, columns);
    Memory memory = options.newMemory();
    try {
      return graph(table, memory, options);
    } catch (MemoryLimitException e) {
      memory.close();
      throw new GraphFormatException(edges, "too large: reading it " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  private Graph graph(VertexTable table, Memory memory, ReadOptions options) {
    Csr in = arcs(table, memory, options.directed());
    Features features = table.features(memory);
    if (features != null && options.rowNormalise()) {
      features = features.rowNormalised(memory);
    }
    return Graph.builder(memory, name(edges), in)
        .out(!options.directed() && in.weights() == null ? in : null)
        .bothWays(!options.directed())
        .ids(table.ids(memory))
        .features(features)
        .featureSchema(new FeatureSchema(table.featureNames(), options.scaling()))
        .labels(table.labels(memory))
        .classNames(table.classNames())
        .split(table.split())
        .build();
  }

  private static String name(Path edges) {
    Path file = edges.getFileName();
    return file == null ? "tables" : file.toString().split("\\.", 2)[0];
  }

  private Csr arcs(VertexTable table, Memory memory, boolean directed) {
    try (CsvReader csv = CsvReader.open(edges);
        Memory scratch = memory.child()) {
      int from = csv.require(source);
      int to = csv.require(target);
      int weight = csv.find(WEIGHT);
      List<String> unused =
          IntStream.range(0, csv.header().size())
              .filter(column -> column != from && column != to && column != weight)
              .mapToObj(csv.header()::get)
              .toList();
      if (!unused.isEmpty()) {
        notes.accept(
            "columns of "
                + edges
                + " that nothing is done with: "
                + String.join(", ", unused)
                + " (a column that weighs edges is called "
                + WEIGHT
                + ")");
      }
      Arcs arcs = weight < 0 ? Arcs.unweighted(scratch) : Arcs.weighted(scratch);
      for (List<String> row = csv.next(); row != null; row = csv.next()) {
        arcs.add(
            vertex(csv, table, row.get(from)),
            vertex(csv, table, row.get(to)),
            weight < 0 ? 1 : weight(csv, row.get(weight)));
      }
      Set<Arcs.Option> made =
          directed
              ? EnumSet.noneOf(Arcs.Option.class)
              : EnumSet.of(Arcs.Option.SYMMETRISE, Arcs.Option.COALESCE);
      return arcs.toCsr(memory, table.rows(), made);
    }
  }

  private static int vertex(CsvReader csv, VertexTable table, String id) {
    Integer vertex = table.vertex(id);
    if (vertex == null) {
      throw csv.fault("the table of vertices has no '" + id + "'");
    }
    return vertex;
  }

  private static float weight(CsvReader csv, String text) {
    try {
      float weight = Float.parseFloat(text);
      if (Float.isFinite(weight)) {
        return weight;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw csv.fault("the weight '" + text + "' is not a finite number");
  }
}
