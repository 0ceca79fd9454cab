package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Variants side by side: two that train with two seeds each, and one that is refused. The graph's
 * name is one that a page must not take for markup.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CompareCommandTest {
  private static final String GRAPH = "<b onclick=alert(1)>&amp\"'|";
  private static final List<String> TRAINED = List.of("gcn", "sage");

  @TempDir private static Path folder;

  private static String[] command = {};
  private static String[] stopped = {};
  private static Path out = Path.of("");
  private static Ran first = new Ran(0, "", "");

  @BeforeAll
  static void compare() throws IOException {
    Path graph = RingGraph.write(folder.resolve(GRAPH), 60);
    out = folder.resolve("compared");
    Path config = folder.resolve("run.yaml");
    Files.writeString(config, "epochs: 99\nhidden: 8\nworkers: 3\nthreads: 1\n");
    String[] common =
        new String[] {
          "compare",
          config.toString(),
          "--graph",
          graph.toString(),
          "--codec",
          "bits8",
          "--vary",
          "model=gcn,sage,gat",
          "--seeds",
          "2",
          "--seed",
          "7",
          "--json"
        };
    command = with(common, "--epochs", "6", "--out", out.toString());
    stopped = with(common, "--epochs", "1000000", "--out", folder.resolve("stopped").toString());
    first = Ran.heddle(command);
  }

  private static JsonNode json(Ran ran) {
    return new JsonMapper().readTree(ran.lastLine());
  }

  private static JsonNode variant(JsonNode comparison, String model) {
    return comparison
        .get("variants")
        .valueStream()
        .filter(each -> each.get("name").asString().equals("model=" + model))
        .findFirst()
        .orElseThrow();
  }

  private static JsonNode summary(String model, int seed) throws IOException {
    Path run = out.resolve("model=" + model).resolve("seed-" + seed);
    return new JsonMapper().readTree(Files.readString(run.resolve("summary.json")));
  }

  private static double mean(String model, String pointer) throws IOException {
    double sum =
        summary(model, 7).at(pointer).asDouble() + summary(model, 8).at(pointer).asDouble();
    return sum / 2;
  }

  @Test
  @Order(1)
  void aVariantThatIsRefusedIsARowAndOthersGoOn() {
    assertThat(first.exit()).as(first.err()).isEqualTo(1);
    JsonNode failed = variant(json(first), "gat");
    assertThat(failed.get("failure").asString()).startsWith("seed 7: gat weighs");
    assertThat(failed.get("folders")).isEmpty();
    assertThat(first.out()).containsPattern("model=gat .*failed: seed 7: gat weighs");
    assertThat(out.resolve("model=gat/seed-7/output.txt")).content().contains("heddle: ");
    for (String model : TRAINED) {
      assertThat(variant(json(first), model).get("failure").isNull()).isTrue();
    }
  }

  @Test
  @Order(1)
  void roundsBeginWithAnotherVariantEach() {
    List<String> turns =
        first
            .err()
            .lines()
            .filter(line -> line.startsWith("round "))
            .map(turn -> {
              Matcher words =
                  Pattern.compile("round (\\d)/2, (\\d)/3 model=(\\w+): .*").matcher(turn);
              assertThat(words.matches()).as(turn).isTrue();
              return words.group(1) + words.group(2) + words.group(3);
            })
            .toList();
    // The third of the first round is refused, and gets no turn in the second.
    assertThat(turns).containsExactly("11gcn", "12sage", "13gat", "21sage", "23gcn");
  }

  @Test
  @Order(1)
  void figuresAreThoseOfTheRuns() throws IOException {
    for (String model : TRAINED) {
      assertThat(summary(model, 7).get("epochs").asInt()).isEqualTo(6);
      assertThat(summary(model, 7).at("/model/kind").asString()).isEqualTo(model);
      assertThat(summary(model, 8).at("/knobs/codec").asString()).isEqualTo("bits8");
      JsonNode figures = variant(json(first), model);
      double halo = mean(model, "/sent/byKind/halo/bytes") / 6;
      assertThat(halo).isPositive();
      assertThat(figures.at("/byKind/halo/bytes").asDouble()).isCloseTo(halo, within(1e-6));
      double evaluation = mean(model, "/sent/byKind/evaluation/bytes");
      double all = (mean(model, "/sent/bytes") - evaluation) / 6;
      assertThat(evaluation).isPositive();
      assertThat(figures.get("bytesPerEpoch").asDouble()).isCloseTo(all, within(1e-6));
      assertThat(figures.at("/test/mean").asDouble()).isCloseTo(mean(model, "/test"), within(1e-9));
      double deviation =
          Math.abs(
                  summary(model, 7).get("test").asDouble()
                      - summary(model, 8).get("test").asDouble())
              / Math.sqrt(2);
      assertThat(figures.at("/test/deviation").asDouble()).isCloseTo(deviation, within(1e-9));
      assertThat(figures.at("/toTarget/runs").asInt()).isBetween(0, 2);
    }
    double lowest =
        Math.min(
            variant(json(first), "gcn").at("/valid/mean").asDouble(),
            variant(json(first), "sage").at("/valid/mean").asDouble());
    assertThat(json(first).at("/target/score").asDouble()).isCloseTo(0.99 * lowest, within(1e-9));
  }

  @Test
  @Order(1)
  void namesCannotInjectMarkup() throws Exception {
    String page = Files.readString(out.resolve("comparison.html"));
    assertThat(page)
        .contains("&lt;b onclick=alert(1)&gt;&amp;amp&quot;&#39;|")
        .doesNotContain("<b onclick", "<script", "javascript:", "src=", "href=", "@import", "url(");
    assertThat(page.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http:", "https:");
    String markdown = Files.readString(out.resolve("comparison.md"));
    assertThat(markdown).doesNotContain("<b onclick").contains("&lt;b onclick");
    Matcher charts = Pattern.compile("(?s)<svg.*?</svg>").matcher(page);
    int count = 0;
    while (charts.find()) {
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(charts.group())));
      count++;
    }
    assertThat(count).as("loss and score over epochs, seconds and bytes").isEqualTo(6);
  }

  @Test
  @Order(1)
  void tablesHaveARowForEachVariant() throws IOException {
    assertThat(Files.readAllLines(out.resolve("comparison.csv"))).hasSize(4);
    assertThat(Files.readAllLines(out.resolve("epochs.csv"))).hasSize(1 + 2 * 2 * 6);
    assertThat(Files.readString(out.resolve("comparison.md")))
        .contains("| model=gcn |", "| model=sage |", "| model=gat | – |");
    assertThat(new JsonMapper().readTree(Files.readString(out.resolve("comparison.json"))))
        .isEqualTo(json(first));
  }

  @Test
  @Order(1)
  void fieldsAreDocumented() throws IOException {
    String page =
        Files.readString(Path.of(System.getProperty("heddle.root", ".."), "docs/summary.md"));
    for (String name : json(first).propertyNames()) {
      assertThat(page).contains("`" + name);
    }
    for (String name : variant(json(first), "gcn").propertyNames()) {
      assertThat(page).contains("`variants[]." + name);
    }
  }

  @Test
  @Order(2)
  void changedSettingsAreRefused() {
    Ran ran = Ran.heddle(with(command, "--hidden", "16"));
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err().strip())
        .isEqualTo(
            "heddle: "
                + out
                + ": holds another comparison (variant model=gcn has --hidden 8, not --hidden 16);"
                + " ask as it was asked before, or take another --out");
  }

  /** A run without a summary was interrupted; it is done again, and comes to the same. */
  @Test
  @Order(3)
  void goesOnWhereItStopped() throws IOException {
    Path again = out.resolve("model=gcn/seed-8/summary.json");
    Path kept = out.resolve("model=sage/seed-7/summary.json");
    double test = summary("gcn", 8).get("test").asDouble();
    var written = Files.getLastModifiedTime(kept);
    Files.delete(again);
    Ran ran = Ran.heddle(command);
    assertThat(ran.err().lines().filter(line -> line.endsWith("read, it is there"))).hasSize(3);
    assertThat(Files.getLastModifiedTime(kept)).isEqualTo(written);
    assertThat(summary("gcn", 8).get("test").asDouble()).isEqualTo(test);
    assertThat(variant(json(ran), "gcn").get("test"))
        .isEqualTo(variant(json(first), "gcn").get("test"));
  }

  @Test
  @Order(4)
  void interruptedComparisonsLeaveNoProcess() throws Exception {
    Child child = Child.start(folder.resolve("printed.txt"), stopped);
    Path begun = folder.resolve("stopped");
    Path metrics = begun.resolve("model=gcn/seed-7/metrics.jsonl");
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!Files.exists(metrics) && child.process().isAlive() && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    assertThat(metrics).as(child.printed()).exists();
    List<ProcessHandle> runs = child.process().descendants().toList();
    assertThat(runs).isNotEmpty();
    child.signal("TERM");
    int _ = child.await();
    assertThat(runs).noneMatch(ProcessHandle::isAlive);
    assertThat(begun.resolve("model=sage/seed-7")).doesNotExist();
    assertThat(begun.resolve("comparison.json")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "--vary hiden=4,5; --vary: there is no option 'hiden'",
        "--vary hidden; --vary wants an option and values, as in lr=0.01,0.003: hidden",
        "--vary hidden=4,4; --vary hidden: a value is there twice",
        "--vary hidden=4,; --vary hidden: a value is empty",
        "--vary hidden=4,x; Invalid value for option '--hidden': 'x' is not an int",
        "--vary codec=fp32,bits3; --codec: there is no 'bits3'",
        "--vary seed=1,2; --vary seed: how many there are is said by --seeds",
        "--vary hidden=4; there is one run, and nothing to compare it with",
        "--presets adaqp,adapq; --preset: there is no 'adapq'",
        "--presets all --preset adaqp; --preset is one of --presets: give either",
        "--presets all --save x; --save is for one run; those of a comparison keep their models",
        "--vary hidden=4,5 --seeds 0; --seeds must be at least 1, not 0",
        "--seeds 1; say what to compare: --presets all, or --vary",
      })
  void whatIsWrongIsSaidBeforeAnythingRuns(String flags, String line) {
    String[] words = with(new String[] {"compare"}, flags.split(" ", -1));
    Ran ran = Ran.heddle(with(words, "--out", folder.resolve("none").toString()));
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err().strip().lines().toList()).singleElement().asString().contains(line);
    assertThat(folder.resolve("none")).doesNotExist();
  }
}
