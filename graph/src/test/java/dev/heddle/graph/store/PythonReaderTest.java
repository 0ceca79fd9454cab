package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The reader on the page about the format reads what is written, and notices damage. */
class PythonReaderTest {
  private final SplittableRandom random = RandomGraphs.seeded(this);

  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  @Test
  void readsEveryArray() throws IOException, InterruptedException {
    List<Graph> graphs = new ArrayList<>();
    List<Path> stores = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      graphs.add(new RandomGraphs(random).next());
      stores.add(folder.resolve("store" + i));
      StoreWriter.write(graphs.get(i), stores.get(i), false);
    }
    String script =
        """

        import sys
        for path in sys.argv[1:]:
            manifest, arrays = open_store(path, check=True)
            print(json.dumps({name: a.tolist() for name, a in arrays.items()}))
        """;
    List<String> lines = python(script, stores).lines().toList();
    for (int i = 0; i < graphs.size(); i++) {
      try (Graph graph = graphs.get(i)) {
        check(new JsonMapper().readTree(lines.get(i)), graph);
      }
    }
  }

  private static void check(JsonNode arrays, Graph graph) {
    Csr in = graph.in();
    assertThat(arrays.get("in.offsets").size()).isEqualTo(in.rows() + 1);
    assertThat(arrays.get("in.ids").size()).isEqualTo((int) in.arcs());
    for (int v = 0; v <= in.rows(); v++) {
      assertThat(arrays.get("in.offsets").get(v).asLong())
          .isEqualTo(in.offsets().getAtIndex(JAVA_LONG, v));
    }
    MemorySegment weights = in.weights();
    for (int arc = 0; arc < in.arcs(); arc++) {
      assertThat(arrays.get("in.ids").get(arc).asInt())
          .isEqualTo(in.ids().getAtIndex(JAVA_INT, arc));
      if (weights != null) {
        assertThat(arrays.get("in.weights").get(arc).asDouble())
            .isEqualTo(weights.getAtIndex(JAVA_FLOAT, arc));
      }
    }
    if (graph.features() instanceof DenseFeatures dense) {
      Matrix x = dense.matrix();
      for (int v = 0; v < x.rows(); v++) {
        assertThat(arrays.get("features").get(v).size()).isEqualTo(x.cols());
        for (int col = 0; col < x.cols(); col++) {
          assertThat((float) arrays.get("features").get(v).get(col).asDouble())
              .isEqualTo(x.get(v, col));
        }
      }
    }
    assertThat(arrays.has("split.0.train")).isEqualTo(graph.split() != null);
    if (graph.split() != null) {
      assertThat(arrays.get("split.0.test").size())
          .isEqualTo(requireNonNull(graph.split()).test().length);
    }
  }

  @Test
  void noticesDamage() throws IOException, InterruptedException {
    List<Path> stores = new ArrayList<>();
    for (String name : new String[] {"in.ids", "features", "manifest.json", "split.0.train"}) {
      Path store = folder.resolve("damaged" + stores.size());
      StoreTest.writeSmall(store);
      byte[] bytes = Files.readAllBytes(store.resolve(name));
      bytes[random.nextInt(bytes.length)] ^= (byte) 0x10;
      Files.write(store.resolve(name), bytes);
      stores.add(store);
    }
    String script =
        """

        import sys
        for path in sys.argv[1:]:
            try:
                open_store(path, check=True)
                print("whole")
            except (ValueError, KeyError, TypeError):
                print("damaged")
        """;
    assertThat(python(script, stores).lines()).hasSize(4).containsOnly("damaged");
  }

  /** Runs the page's reader with something to do. */
  private String python(String script, List<Path> arguments)
      throws IOException, InterruptedException {
    Path page = Path.of(System.getProperty("heddle.root", ".."), "docs", "format.md");
    Matcher code = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(read(page));
    assertThat(code.find()).isTrue();
    assertThat(code.group(1).lines().filter(line -> !line.isBlank()).count()).isLessThan(40);
    Path file = folder.resolve("reader.py");
    Files.writeString(file, code.group(1) + script);
    List<String> command = new ArrayList<>(List.of(interpreter(), file.toString()));
    arguments.forEach(a -> command.add(a.toString()));
    Path output = folder.resolve("output.txt");
    int exit = run(command, output);
    assertThat(exit).as(read(output)).isZero();
    return read(output);
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  private String interpreter() throws InterruptedException {
    String wish = System.getenv("HEDDLE_PYTHON");
    String python = wish == null || wish.isEmpty() ? "python3" : wish;
    try {
      if (run(List.of(python, "-c", "import numpy"), folder.resolve("probe.txt")) != 0) {
        abort("skipped: " + python + " lacks numpy; HEDDLE_PYTHON names another one");
      }
    } catch (IOException e) {
      abort("skipped: there is no " + python + " (" + e.getMessage() + ")");
    }
    return python;
  }

  private static int run(List<String> command, Path output)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return -1;
    }
    return process.exitValue();
  }
}
