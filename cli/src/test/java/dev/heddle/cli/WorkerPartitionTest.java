package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which vertices the workers of {@code heddle train} get, and what is said of it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WorkerPartitionTest {
  private static final int VERTICES = 3000;

  @TempDir private static Path shared;
  private static String generated = "";

  @TempDir private Path folder;

  @BeforeAll
  static void generate() {
    generated = shared.resolve("store").toString();
    String[] made = {"generate", "--vertices", Integer.toString(VERTICES), "--width", "4"};
    assertThat(Ran.heddle(with(made, "--out", generated)).exit()).isZero();
  }

  private Path run(String name) {
    return folder.resolve(name);
  }

  private Ran train(String graph, String out, String... more) {
    String[] base = {"train", "--graph", graph, "--epochs", "2", "--hidden", "4", "--json"};
    Ran ran = Ran.heddle(with(with(base, "--out", run(out).toString()), more));
    assertThat(ran.exit()).as(ran.err()).isZero();
    return ran;
  }

  private static JsonNode partition(Ran ran) {
    return new JsonMapper().readTree(ran.lastLine()).get("partition");
  }

  private static List<Integer> owners(Path kept) throws IOException {
    return Files.readAllLines(kept).stream().map(Integer::valueOf).toList();
  }

  /** Every vertex has one owner; vertices, arcs and training vertices are even within 5 %. */
  @Test
  void isBalancedAndReported() throws IOException {
    Ran ran = train(generated, "run", "--workers", "8");
    assertThat(ran.err())
        .containsPattern(
            "8 parts \\(multilevel, [0-9.]+ s\\): [0-9.]+ % of edges cut; balance of vertices"
                + " 1\\.[0-9]{3}, arcs 1\\.[0-9]{3}, training vertices 1\\.[0-9]{3}; halo rows"
                + "( \\d+){8}\n");
    JsonNode said = partition(ran);
    assertThat(said.get("method").asString()).isEqualTo("multilevel");
    assertThat(said.get("seconds").asDouble()).isPositive();
    assertThat(said.get("cut").asDouble()).isBetween(0.01, 0.99);
    for (String what : List.of("vertices", "arcs", "train")) {
      assertThat(said.get("balance").get(what).asDouble()).as(what).isBetween(1.0, 1.05);
    }
    assertThat(said.get("haloRows").size()).isEqualTo(8);
    assertThat(owners(RunFolder.partition(run("run"), 8)))
        .hasSize(VERTICES)
        .allMatch(owner -> owner >= 0 && owner < 8)
        .containsAll(IntStream.range(0, 8).boxed().toList());
    assertThat(partition(train(generated, "alone")).isNull()).isTrue();
  }

  @Test
  void comesFromTheSeed() throws IOException {
    train(generated, "one", "--workers", "3", "--seed", "5", "--threads", "1");
    train(generated, "two", "--workers", "3", "--seed", "5", "--threads", "3");
    train(generated, "three", "--workers", "3", "--seed", "6");
    Path one = RunFolder.partition(run("one"), 3);
    assertThat(RunFolder.partition(run("two"), 3)).hasSameTextualContentAs(one);
    assertThat(owners(RunFolder.partition(run("three"), 3))).isNotEqualTo(owners(one));
  }

  /** Whatever order its vertices lie in while it is trained on. */
  @Test
  void isThatOfTheStoreIfItHasOne() throws IOException {
    String store = folder.resolve("store").toString();
    assertThat(Ran.heddle("import", "--graph", rings(), "--out", store).exit()).isZero();
    String[] split = {"partition", "--graph", store, "--parts", "3", "--method", "random"};
    Path text = folder.resolve("text");
    assertThat(Ran.heddle(with(split, "--out", text.toString())).exit()).isZero();
    Ran found = train(store, "found", "--workers", "3", "--order", "degree");
    assertThat(partition(found).get("method").asString()).isEqualTo("store");
    assertThat(RunFolder.partition(run("found"), 3)).hasSameTextualContentAs(text);
    Ran given = train(rings(), "given", "--workers", "3", "--partition-file", text.toString());
    assertThat(partition(given).get("method").asString()).isEqualTo("file");
    assertThat(RunFolder.partition(run("given"), 3)).hasSameTextualContentAs(text);
    Ran made = train(store, "made", "--workers", "3", "--partition", "range");
    assertThat(partition(made).get("method").asString()).isEqualTo("range");
    Ran other = train(store, "other", "--workers", "2");
    assertThat(partition(other).get("method").asString()).isEqualTo("multilevel");
  }

  private String rings() throws IOException {
    return RingGraph.write(folder.resolve("rings"), 60).toString();
  }

  /** Also when the store has got another partition since, and workers are processes. */
  @Test
  void staysThatOfTheRun() throws IOException, InterruptedException {
    String store = folder.resolve("store").toString();
    assertThat(Ran.heddle("import", "--graph", rings(), "--out", store).exit()).isZero();
    train(store, "run", "--workers", "2", "--order", "degree");
    Path kept = RunFolder.partition(run("run"), 2);
    List<Integer> before = owners(kept);
    String[] split = {"partition", "--graph", store, "--parts", "2", "--method", "random"};
    assertThat(Ran.heddle(split).exit()).isZero();
    Ran resumed = Ran.heddle("train", "--resume", run("run").toString(), "--epochs", "4", "--json");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(partition(resumed).get("method").asString()).isEqualTo("run");
    assertThat(owners(kept)).isEqualTo(before);
    String[] apart = {"train", "--resume", run("run").toString(), "--epochs", "6", "--processes"};
    Child child = Child.start(folder.resolve("printed"), apart);
    assertThat(child.await()).as(child.printed()).isZero();
    assertThat(child.printed()).contains("2 parts (run, ");
    assertThat(owners(kept)).isEqualTo(before);
  }
}
