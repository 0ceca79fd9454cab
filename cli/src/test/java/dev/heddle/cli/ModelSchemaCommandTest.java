package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A model that was trained on four classes and four columns, asked about tables that have others:
 * it says the same of every vertex, under the same names, or is refused by name.
 */
class ModelSchemaCommandTest {
  private static final int VERTICES = 160;
  private static final List<String> CLASSES = List.of("bot", "ok", "spam", "\"vip, gold\"");
  private static final List<String> COLUMNS = List.of("age", "posts", "links", "days");

  @TempDir private static Path folder;

  private static List<String> expected = List.of();
  private static double expectedScore;

  @BeforeAll
  static void train() throws IOException {
    store("four", COLUMNS, CLASSES);
    for (String more : List.of("", "--row-normalise")) {
      run("train --graph @four --model sage --epochs 20 --seed 3 --out @run" + more + " " + more);
    }
    expected = predictions("run", "four");
    expectedScore = score("run", "four");
    assertThat(expected.getFirst()).isEqualTo("id,class,probability,bot,ok,spam,\"vip, gold\"");
    assertThat(expectedScore).isGreaterThan(0.4);
  }

  /** A store of a table with such columns; classes that are not given are left empty. */
  private static void store(String name, List<String> columns, List<String> classes, String... more)
      throws IOException {
    StringBuilder nodes = new StringBuilder("id," + String.join(",", columns));
    nodes.append(classes.isEmpty() ? "\n" : ",label,split\n");
    StringBuilder edges = new StringBuilder("src,dst\n");
    for (int v = 0; v < VERTICES; v++) {
      int label = v * 7 % 4;
      nodes.append("u").append(v);
      for (String column : columns) {
        int place = COLUMNS.indexOf(column);
        int noise = (v * 31 + place * 17) % 5;
        nodes.append(',').append(place == label ? 3 + noise : 1 + noise);
      }
      if (!classes.isEmpty()) {
        String called = classes.contains(CLASSES.get(label)) ? CLASSES.get(label) : "";
        called = classes.getFirst().equals("renamed") ? "new-" + label : called;
        String part = v % 3 == 0 ? "train" : v % 3 == 1 ? "valid" : "test";
        nodes.append(',').append(called).append(',').append(called.isEmpty() ? "" : part);
      }
      nodes.append('\n');
      edges.append("u%d,u%d\n".formatted(v, (v + 4) % VERTICES));
    }
    Files.writeString(folder.resolve(name + ".csv"), nodes);
    Files.writeString(folder.resolve("edges.csv"), edges);
    run(
        "import --nodes @%s.csv --edges @edges.csv --out @%s %s"
                .formatted(name, name, String.join(" ", more))
            + (List.of(more).contains("--row-normalise") ? "" : " --standardise off"));
  }

  private static Ran heddle(String line) {
    return Ran.heddle(line.strip().replace("@", folder + "/").split(" +", -1));
  }

  private static Ran run(String line) {
    Ran ran = heddle(line);
    assertThat(ran.exit()).as(ran.err()).isZero();
    return ran;
  }

  private static List<String> predictions(String model, String store) throws IOException {
    run("predict @" + model + " --graph @" + store + " --out @p.csv");
    return Files.readAllLines(folder.resolve("p.csv"));
  }

  private static double score(String model, String store) {
    String out = run("evaluate @" + model + " --graph @" + store + " --json").out();
    String json = out.substring(out.lastIndexOf("{\"metric\""));
    return Double.parseDouble(json.replaceFirst("(?s).*\"test\":([0-9.]+).*", "$1"));
  }

  private static void refused(String line, String... names) {
    Ran ran = heddle(line);
    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err().strip().lines()).as(ran.err()).hasSize(1);
    assertThat(ran.err()).contains(names);
  }

  @Test
  void threeOfTheClasses() throws IOException {
    store("three", COLUMNS, CLASSES.subList(1, 4));
    assertThat(predictions("run", "three")).isEqualTo(expected);
    // Of the same test vertices without those called bot, as the predictions say.
    int right = 0;
    int all = 0;
    for (int v = 2; v < VERTICES; v += 3) {
      String called = CLASSES.get(v * 7 % 4);
      all += called.equals("bot") ? 0 : 1;
      boolean hit = expected.get(v + 1).startsWith("u" + v + "," + called + ",");
      right += hit && !called.equals("bot") ? 1 : 0;
    }
    assertThat(score("run", "three")).isCloseTo((double) right / all, within(1e-6));
  }

  @Test
  void noClasses() throws IOException {
    store("none", COLUMNS, List.of());
    assertThat(predictions("run", "none")).isEqualTo(expected);
    refused("evaluate @run --graph @none", "edges has no labels");
  }

  @Test
  void otherClasses() throws IOException {
    store("others", COLUMNS, List.of("renamed"));
    assertThat(predictions("run", "others")).isEqualTo(expected);
    refused("evaluate @run --graph @others", "new-0, new-1", "it knows bot, ok, spam, vip, gold");
  }

  @Test
  void columnsInAnotherOrder() throws IOException {
    store("turned", List.of("links", "age", "days", "posts"), CLASSES);
    assertThat(predictions("run", "turned")).isEqualTo(expected);
    assertThat(score("run", "turned")).isEqualTo(expectedScore);
  }

  @Test
  void aColumnIsMissing() throws IOException {
    store("fewer", List.of("age", "posts", "links"), CLASSES);
    refused("predict @run --graph @fewer --out @x.csv", "edges lacks features of the model: days");
    store("wrong", List.of("age", "posts", "links", "hours"), CLASSES);
    refused("evaluate @run --graph @wrong", "of the model: days; it has others: hours");
    assertThat(folder.resolve("x.csv")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "run--row-normalise"})
  void aColumnMore(String model) throws IOException {
    store("more-" + model, List.of("height", "age", "posts", "links", "days"), CLASSES);
    List<String> same = predictions(model, "four");
    String line = "predict @" + model + " --graph @more-" + model + " --out @more.csv";
    assertThat(run(line).err()).contains("the model does not know are left out: height");
    assertThat(Files.readAllLines(folder.resolve("more.csv"))).isEqualTo(same);
  }

  @Test
  void rowsThatWereDividedBefore() throws IOException {
    store("divided", COLUMNS, CLASSES, "--row-normalise");
    refused("predict @run --graph @divided --out @x.csv", "features as they are, but the rows of");
    String scaled = "run--row-normalise";
    assertThat(predictions(scaled, "divided")).isEqualTo(predictions(scaled, "four"));
    List<String> five = new ArrayList<>(COLUMNS);
    five.add("height");
    store("divided-more", five, CLASSES, "--row-normalise");
    refused("evaluate @" + scaled + " --graph @divided-more", "the model does not know: height");
  }

  @Test
  void arcsThatGoOneWay() throws IOException {
    store("one-way", COLUMNS, CLASSES, "--directed");
    String err = run("predict @run --graph @one-way --out @x1.csv").err();
    assertThat(err).contains("arcs that go both ways; those of edges go one way");
  }

  @Test
  void whatIsNoClassAndNoWeightIsSaid() throws IOException {
    Path nodes = folder.resolve("odd.csv");
    Path edges = Files.writeString(folder.resolve("odd-edges.csv"), "src,dst,strength\na,b,2\n");
    String line = "import --nodes " + nodes + " --edges " + edges + " --out @odd";
    Files.writeString(nodes, "id,x,label\na,1,0.25\nb,2,1.5\nc,3,\n");
    line += " --overwrite";
    assertThat(run(line).out()).contains("label    number: numbers with decimals");
    Files.writeString(nodes, "id,x,label\na,1,good\nb,2,NA\n");
    assertThat(run(line).out()).contains("missing values: empty, N/A, NA, NULL, None, null");
    Files.writeString(nodes, "id,x,label\na,1,good\nb,2,bad\n");
    assertThat(run(line).out()).containsPattern("strength +passed over");
    String rows =
        Stream.iterate(0, v -> v < 120, v -> v + 1)
            .map(v -> v + ",1," + 1000 * v + "\n")
            .collect(Collectors.joining("", "id,x,label\n", ""));
    Files.writeString(nodes, rows);
    Files.writeString(edges, "src,dst\n1,2\n");
    run("import --nodes " + nodes + " --edges " + edges + " --task class --out @numbers");
    refused("train --graph @numbers --out @never", "have 120 different classes", "taken for");
  }

  @Test
  void batchesAtOnceThatAreEvenedOut() {
    String base = "train --graph @four --batch 4 --epochs 1 --workers 2 --macrobatch ";
    assertThat(run(base + "8 --out @macro8").err()).contains("7 batches at once, not 8: the 14");
    assertThat(run(base + "7 --out @macro7").err()).doesNotContain("batches at once");
    String[] lines = run(base + "20 --out @macro20").err().split("\n", -1);
    assertThat(Arrays.stream(lines)).anyMatch(l -> l.contains("14 batches at once, not 20"));
  }
}
