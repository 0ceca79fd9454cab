package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.NpyWriter;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as a user meets it: output, exit codes, one line for what is wrong. */
class TrainCommandTest {
  private static final int VERTICES = 40;

  @TempDir private Path folder;

  /** What a command line printed and how it ended. */
  private record Run(int exit, String out, String err) {}

  private static Run run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream oldOut = System.out;
    PrintStream oldErr = System.err;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int exit = Heddle.run(args);
      return new Run(
          exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(oldOut);
      System.setErr(oldErr);
    }
  }

  /** Two rings of vertices; a vertex's feature says which ring it is on. */
  @BeforeEach
  void writeGraph() throws IOException {
    StringBuilder edges = new StringBuilder("src,dst\n");
    float[][] features = new float[VERTICES][2];
    int[] labels = new int[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
      edges.append(v).append(',').append((v + 2) % VERTICES).append('\n');
      labels[v] = v % 2;
      features[v][v % 2] = 1;
    }
    try (var gzip = new GZIPOutputStream(Files.newOutputStream(folder.resolve("edges.csv.gz")))) {
      gzip.write(edges.toString().getBytes(StandardCharsets.UTF_8));
    }
    try (var memory = new Memory()) {
      var matrix = Matrix.of(memory, features);
      NpyWriter.write(folder.resolve("features.npy"), matrix);
    }
    NpyWriter.write(folder.resolve("labels.npy"), labels);
    write("train.txt", 0, 20);
    write("valid.txt", 20, 30);
    write("test.txt", 30, 40);
  }

  private void write(String name, int from, int to) throws IOException {
    List<String> ids = IntStream.range(from, to).mapToObj(Integer::toString).toList();
    Files.write(folder.resolve(name), ids);
  }

  @Test
  void trainsAndPrintsASummary() {
    Run run =
        run("train", "--graph", folder.toString(), "--epochs", "30", "--threads", "1", "--json");
    assertThat(run.err()).contains("epoch 30/30");
    assertThat(run.exit()).isZero();
    String last = run.out().strip().lines().reduce((_, line) -> line).orElseThrow();
    JsonNode summary = new JsonMapper().readTree(last);
    assertThat(summary.get("test").asDouble()).isEqualTo(1.0);
    assertThat(summary.get("graph").get("nodes").asInt()).isEqualTo(VERTICES);
    assertThat(summary.get("model").get("kind").asString()).isEqualTo("gcn");
  }

  @ParameterizedTest
  @CsvSource({
    "--model gcm, there is no model 'gcm'",
    "--hidden 0, 'hidden must be at least 1, not 0'",
    "--layers 0, 'layers must be at least 1, not 0'",
    "--dropout 1, 'dropout must be in [0, 1), not 1.0'",
    "--lr NaN, learning rate",
    "--lr -1, learning rate",
    "--epochs 0, 'epochs must be at least 1, not 0'",
    "--threads 0, 'threads must be at least 1, not 0'",
    "--weight-decay -1, 'weight decay must not be negative, but is -1.0'",
    "--metric acuracy, there is no metric 'acuracy'",
    "--epochs ten, ten",
    "--epoch 10, Unknown option",
    "--split-index 7, split",
  })
  void aWrongOptionGetsOneLineAndExit2(String option, String message) {
    String[] words = option.split(" ", 2);
    Run run = run("train", "--graph", folder.toString(), words[0], words[1]);
    assertThat(run.err()).contains(message);
    assertThat(run.err().strip().lines()).hasSize(1);
    assertThat(run.exit()).isEqualTo(2);
  }

  @Test
  void aMissingFolderGetsOneLineAndExit2() {
    Run run = run("train", "--graph", folder.resolve("nowhere").toString());
    assertThat(run.err()).contains("nowhere");
    assertThat(run.err().strip().lines()).hasSize(1);
    assertThat(run.exit()).isEqualTo(2);
  }

  @Test
  void helpHasAnExample() {
    Run run = run("train", "--help");
    assertThat(run.out()).contains("Example:").contains("--weight-decay");
    assertThat(run.exit()).isZero();
  }
}
