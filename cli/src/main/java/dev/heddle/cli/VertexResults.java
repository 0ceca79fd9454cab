package dev.heddle.cli;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.Graph;
import dev.heddle.graph.NpyWriter;
import dev.heddle.kernel.Matrix;
import dev.heddle.tables.TableColumn;
import dev.heddle.train.Inference;
import dev.heddle.train.run.Task;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * What a model makes of every vertex, in the user's order and under the user's ids: predictions, or
 * the vectors of a layer. Rows are read one after another, wherever they lie.
 */
final class VertexResults {
  private static final String ID = "id";
  private static final String VECTOR = "vector";

  private final Graph graph;
  private final Matrix rows;
  private final Task task;
  private final Kind kind;
  private final IntFunction<String> names;

  /** What is written of a row. */
  private enum Kind {
    /** What it means, and the probability of every class or label. */
    PROBABILITIES,
    /** The likeliest class alone. */
    CLASS,
    /** The numbers as they are. */
    VECTOR
  }

  private VertexResults(Graph graph, Matrix rows, Task task, Kind kind, IntFunction<String> names) {
    this.graph = graph;
    this.rows = rows;
    this.task = task;
    this.kind = kind;
    this.names = names;
  }

  /**
   * What the outputs mean.
   *
   * @param probabilities whether the probability of each class is told besides the likeliest
   */
  static VertexResults predictions(Graph graph, Inference inference, boolean probabilities) {
    Task task = inference.task();
    Kind kind = task != Task.CLASSES || probabilities ? Kind.PROBABILITIES : Kind.CLASS;
    return new VertexResults(
        graph, inference.outputs(), task, kind, inference.schema()::outputName);
  }

  /** The rows of a layer, from 1. */
  static VertexResults embeddings(Graph graph, Inference inference, int layer) {
    IntFunction<String> names = column -> "v" + column;
    return new VertexResults(graph, inference.layer(layer), Task.NUMBERS, Kind.VECTOR, names);
  }

  /** Probabilities, or numbers. */
  private void read(int userIndex, float[] row) {
    int vertex = graph.localIndex(userIndex);
    MemorySegment.copy(rows.data(), JAVA_FLOAT, rows.offset(vertex), row, 0, row.length);
    task.interpret(row);
  }

  /** Writes a row for every vertex. */
  void write(Path file, ResultFormat format) throws IOException {
    if (format == ResultFormat.NPY) {
      NpyWriter.write(file, rows.rows(), rows.cols(), this::read);
      if (graph.ids() != null) {
        writeIds(file.resolveSibling(file.getFileName() + ".ids.txt"));
      }
      return;
    }
    float[] row = new float[rows.cols()];
    try (ResultTable table = ResultTable.create(file, format, columns(format))) {
      for (int u = 0; u < rows.rows(); u++) {
        read(u, row);
        table.put(graph.idOf(graph.localIndex(u)));
        if (task == Task.CLASSES) {
          int best = best(row);
          table.put(names.apply(best));
          table.put(row[best]);
        }
        if (kind == Kind.VECTOR) {
          table.put(row);
        } else if (kind == Kind.PROBABILITIES) {
          for (float value : row) {
            table.put(value);
          }
        }
        table.endRow();
      }
      table.finish();
    }
  }

  /** What the rows of an array are called, a line each. */
  private void writeIds(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int u = 0; u < rows.rows(); u++) {
        out.write(graph.idOf(graph.localIndex(u)));
        out.write('\n');
      }
    }
  }

  private static int best(float[] row) {
    int best = 0;
    for (int c = 1; c < row.length; c++) {
      best = row[c] > row[best] ? c : best;
    }
    return best;
  }

  private List<TableColumn> columns(ResultFormat format) {
    List<TableColumn> columns = new ArrayList<>();
    columns.add(new TableColumn(ID, TableColumn.Type.TEXT));
    if (task == Task.CLASSES) {
      columns.add(new TableColumn("class", TableColumn.Type.TEXT));
      columns.add(new TableColumn("probability", TableColumn.Type.FLOAT));
    }
    if (kind == Kind.VECTOR && format.nests()) {
      columns.add(new TableColumn(VECTOR, TableColumn.Type.FLOATS));
    } else if (kind != Kind.CLASS) {
      IntStream.range(0, rows.cols())
          .mapToObj(c -> new TableColumn(names.apply(c), TableColumn.Type.FLOAT))
          .forEach(columns::add);
    }
    return distinct(columns);
  }

  /** A class may be called like another column, which tables tell apart by no capitals. */
  private static List<TableColumn> distinct(List<TableColumn> columns) {
    Set<String> taken = new HashSet<>();
    List<TableColumn> all = new ArrayList<>();
    for (TableColumn column : columns) {
      String name = column.name();
      for (int n = 2; !taken.add(name.toLowerCase(Locale.ROOT)); n++) {
        name = column.name() + "_" + n;
      }
      all.add(new TableColumn(name, column.type()));
    }
    return all;
  }
}
