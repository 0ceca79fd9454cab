package dev.heddle.cli;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.Graph;
import dev.heddle.graph.NpyWriter;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.train.Inference;
import dev.heddle.train.run.ModelSchema;
import dev.heddle.train.run.Task;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** What a model says of every vertex, in the user's order and under the user's ids. */
final class Predictions {
  private final Graph graph;
  private final Task task;
  private final ModelSchema schema;
  private final Matrix outputs;

  Predictions(Graph graph, Inference inference) {
    this.graph = graph;
    task = inference.task();
    schema = inference.schema();
    outputs = inference.outputs();
  }

  /** Probabilities, or numbers where numbers are predicted. */
  private void read(int userIndex, float[] row) {
    int vertex = graph.localIndex(userIndex);
    MemorySegment.copy(outputs.data(), JAVA_FLOAT, outputs.offset(vertex), row, 0, row.length);
    task.interpret(row);
  }

  /** Rows of float32, nothing else. */
  void writeNpy(Path file) throws IOException {
    float[] row = new float[outputs.cols()];
    try (Memory scratch = graph.memory().child()) {
      Matrix ordered = Matrix.allocate(scratch, outputs.rows(), outputs.cols());
      for (int u = 0; u < outputs.rows(); u++) {
        read(u, row);
        ordered.setRow(u, row);
      }
      NpyWriter.write(file, ordered);
    }
  }

  /** A line per vertex; the file appears when it is whole. */
  void writeCsv(Path file) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      try (BufferedWriter out = Files.newBufferedWriter(temporary)) {
        out.write(header());
        float[] row = new float[outputs.cols()];
        StringBuilder line = new StringBuilder();
        for (int u = 0; u < outputs.rows(); u++) {
          read(u, row);
          line.setLength(0);
          out.append(line(u, row, line));
        }
      }
      Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private String header() {
    StringBuilder header = new StringBuilder("id");
    header.append(task == Task.CLASSES ? ",class,probability" : "");
    for (int c = 0; c < outputs.cols(); c++) {
      header.append(',').append(quoted(schema.outputName(c)));
    }
    return header.append('\n').toString();
  }

  private StringBuilder line(int userIndex, float[] row, StringBuilder line) {
    line.append(quoted(graph.idOf(graph.localIndex(userIndex))));
    if (task == Task.CLASSES) {
      int best = 0;
      for (int c = 1; c < row.length; c++) {
        best = row[c] > row[best] ? c : best;
      }
      line.append(',').append(quoted(schema.outputName(best))).append(',').append(row[best]);
    }
    for (float value : row) {
      line.append(',').append(value);
    }
    return line.append('\n');
  }

  private static String quoted(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
