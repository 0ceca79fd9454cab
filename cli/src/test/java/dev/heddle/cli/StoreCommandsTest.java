package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code generate}, {@code import} and {@code info} as a user meets them. */
class StoreCommandsTest {
  @TempDir private Path folder;

  /** What a command line printed and how it ended. */
  private record Run(int exit, String out, String err) {}

  private static Run run(Object... words) {
    String[] args = Arrays.stream(words).map(Object::toString).toArray(String[]::new);
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

  private static void fails(Run run, String message) {
    assertThat(run.err()).contains(message);
    assertThat(run.err().strip().lines()).hasSize(1);
    assertThat(run.exit()).isEqualTo(2);
  }

  @Test
  void tablesBecomeAStoreAndPredictionsHaveTheirNames() throws IOException {
    StringBuilder nodes = new StringBuilder("id,x,y,label,note\n");
    StringBuilder edges = new StringBuilder("src,dst\n");
    for (int i = 0; i < 40; i++) {
      String label = i % 2 == 0 ? "even" : "odd";
      nodes.append("user-%d,%d,1,%s,hello\n".formatted(i, i % 2, label));
      edges.append("user-%d,user-%d\n".formatted(i, (i + 2) % 40));
    }
    Path people = Files.writeString(folder.resolve("people.csv"), nodes);
    Path knows = Files.writeString(folder.resolve("knows.csv"), edges);
    Path store = folder.resolve("people.store");
    Object[] tables = {"import", "--nodes", people, "--edges", knows, "--out", store};
    fails(run("import", "--nodes", people, "--out", store), "--nodes needs --edges");
    Run look = run(Stream.concat(Arrays.stream(tables), Stream.of("--dry-run")).toArray());
    assertThat(look.out()).containsPattern("note +feature  category: about 1 different ones");
    assertThat(store).doesNotExist();
    Run made = run(Stream.concat(Arrays.stream(tables), Stream.of("--skip", "note")).toArray());
    assertThat(made.exit()).as(made.err()).isZero();
    assertThat(run("info", store, "--verify").out()).contains("ids                text");
    Path out = folder.resolve("run");
    assertThat(run("train", "--graph", store, "--epochs", 30, "--out", out).exit()).isZero();
    Path csv = folder.resolve("predictions.csv");
    assertThat(run("predict", out, "--out", csv).exit()).isZero();
    List<String> lines = Files.readAllLines(csv);
    assertThat(lines.getFirst()).isEqualTo("id,class,probability,even,odd");
    assertThat(lines.get(1)).startsWith("user-0,even,");
    assertThat(lines.get(4)).startsWith("user-3,odd,");
  }

  private Run generate(Object... more) {
    Object[] base = {"generate", "--vertices", 600, "--degree", 6, "--communities", 6};
    Object[] rest = {"--classes", 3, "--threads", 1, "--out", folder.resolve("store")};
    return run(Stream.of(base, rest, more).flatMap(Arrays::stream).toArray());
  }

  private JsonNode info(Path graph) {
    Run run = run("info", graph, "--verify", "--json");
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    return new JsonMapper().readTree(run.out());
  }

  @Test
  void generatesAndTellsAboutIt() {
    Path store = folder.resolve("store");
    Run made = generate("--width", 8, "--train", 0.1, "--clustered", "--json");
    assertThat(made.exit()).as(made.err()).isZero();
    JsonNode info = info(store);
    assertThat(info.get("graph").get("nodes").asInt()).isEqualTo(600);
    assertThat(info.get("graph").get("edges").asInt()).isBetween(3500, 3700);
    assertThat(info.get("graph").get("symmetric").asBoolean()).isTrue();
    assertThat(info.get("graph").get("homophily").asDouble()).isBetween(0.75, 0.95);
    assertThat(info.get("features").get("density").asDouble()).isEqualTo(1);
    assertThat(info.get("labels").get("largestClass").asInt()).isEqualTo(200);
    assertThat(info.get("split").get("train").get("size").asInt()).isEqualTo(60);
    assertThat(info.get("verified").asBoolean()).isTrue();
    assertThat(run("info", store).out()).contains("homophily").contains("inDegrees");
    fails(generate(), "is there already: --overwrite replaces it");
    assertThat(generate("--overwrite", "--width", 100, "--words", 5).exit()).isZero();
    assertThat(info(store).get("features").get("kind").asString()).isEqualTo("sparse");
  }

  @ParameterizedTest
  @CsvSource({
    "--vertices 1, 'vertices must be at least 2, not 1'",
    "--degree 0, averageDegree must be above 0",
    "--degree NaN, averageDegree must be above 0",
    "--exponent 1, 'exponent must be above 1, not 1'",
    "--communities 301, communities must be 1 to vertices / 2",
    "--classes 9, classes must be at most the 6 communities",
    "--homophily 1.5, 'homophily must be 0 to 1, not 1.5'",
    "--width -1, 'width must be at least 0, not -1'",
    "--words 65, words must be at most the width",
    "--noise -1, noise must be 0 to a million",
    "--train 0, train must be above 0",
    "--valid 0.9, valid must be 0 to 1 - train",
    "--threads 0, 'threads must be at least 1, not 0'",
    "--seed x, x",
    "--out nowhere/store, nowhere: no such folder",
    "--colour red, unknown option",
  })
  void aWrongOptionGetsOneLineAndExit2(String option, String message) throws IOException {
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("--vertices", 600);
    options.put("--degree", 6);
    options.put("--communities", 6);
    options.put("--classes", 3);
    options.put("--out", folder.resolve("store"));
    String[] words = option.split(" ", 2);
    options.put(words[0], words[1]);
    List<Object> line = new ArrayList<>(List.of("generate"));
    options.forEach((name, value) -> line.addAll(List.of(name, value)));
    fails(run(line.toArray()), message);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void importsAFolder() throws IOException {
    Files.writeString(folder.resolve("edges.csv"), "src,dst\n0,1\n1,2\n");
    Files.writeString(folder.resolve("train.txt"), "0\n");
    Files.writeString(folder.resolve("valid.txt"), "1\n");
    Files.writeString(folder.resolve("test.txt"), "2\n");
    Path store = folder.resolve("store");
    assertThat(run("import", "--graph", folder, "--out", store, "--directed").exit()).isZero();
    JsonNode info = info(store);
    assertThat(info.get("graph").get("edges").asInt()).isEqualTo(2);
    assertThat(info.get("graph").get("symmetric").asBoolean()).isFalse();
    assertThat(info(folder).get("graph").get("edges").asInt()).isEqualTo(4);
    fails(run("import", "--graph", folder, "--out", store), "--overwrite replaces it");
    fails(run("import", "--graph", folder.resolve("x"), "--out", store), "no such folder");
    fails(run("import", "--out", store), "--graph");
  }

  @Test
  void damageGetsOneLineAndExit2() throws IOException {
    assertThat(generate().exit()).isZero();
    Path store = folder.resolve("store");
    Path ids = store.resolve("in.ids");
    byte[] bytes = Files.readAllBytes(ids);
    bytes[100] ^= 1;
    Files.write(ids, bytes);
    fails(run("info", store, "--verify"), "in.ids: damaged: its checksum is ");
    Files.write(ids, Arrays.copyOf(bytes, 100));
    fails(run("info", store), "in.ids: 100 bytes long, but the manifest says ");
    fails(run("train", "--graph", store), "in.ids: 100 bytes long");
    fails(run("info", folder.resolve("nothing")), "nothing: no such folder");
    fails(run("info"), "GRAPH");
  }

  @Test
  void helpHasExamples() {
    for (String command : new String[] {"generate", "import", "info"}) {
      assertThat(run(command, "--help").out()).contains("Example").contains("heddle " + command);
    }
  }
}
