package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Layers as a pipeline, as a user meets them: threads, processes, kills, what is refused. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class StageCommandTest {
  private static final String LAYERS = "--split layers --workers 3 --refresh 4";
  private static final String HYBRID = "--split hybrid --workers 4 --stages 2 --chunks 3";
  private static final String KILLED_LAYERS = "--split layers --refresh 4";
  private static final String KILLED_HYBRID = "--split hybrid --stages 2 --chunks 3 --refresh 4";

  @TempDir private Path folder;

  private final SplittableRandom random = TestSeed.random(this);
  private String[] deep = {};

  @BeforeEach
  void writeGraph() throws IOException {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    deep =
        new String[] {
          "--graph", graph, "--model", "resgcn", "--layers", "6", "--dropout", "0.3",
        };
  }

  private String[] train(String how, String run, String... more) {
    String[] all = with(with(new String[] {"train"}, deep), how.split(" ", -1));
    return with(with(all, "--out", folder.resolve(run).toString()), more);
  }

  private Path model(String run) {
    return folder.resolve(run).resolve(RunFolder.MODEL);
  }

  private static Ran ran(String... command) {
    Ran ran = Ran.heddle(command);
    assertThat(ran.exit()).as(ran.err()).isZero();
    return ran;
  }

  @ParameterizedTest
  @ValueSource(strings = {LAYERS, HYBRID})
  void processesComeToTheBitsOfThreads(String how) throws IOException, InterruptedException {
    Ran _ = ran(train(how, "threads", "--epochs", "6"));
    Child child =
        Child.start(folder.resolve("printed"), train(how, "apart", "--epochs", "6", "--processes"));
    assertThat(child.await()).as(child.printed()).isZero();
    assertThat(model("apart")).hasSameBinaryContentAs(model("threads"));
  }

  @ParameterizedTest
  @ValueSource(strings = {LAYERS, HYBRID})
  void runsGoOnToTheSameBits(String how) throws IOException {
    Ran _ = ran(train(how, "whole", "--epochs", "11"));
    Ran _ = ran(train(how, "cut", "--epochs", "6", "--checkpoint-every", "3"));
    Ran resumed = ran("train", "--resume", folder.resolve("cut").toString(), "--epochs", "11");
    assertThat(resumed.err()).contains("going on after epoch 6").doesNotContain("made anew");
    assertThat(model("cut")).hasSameBinaryContentAs(model("whole"));
  }

  /** What sections cost is measured once: a run that goes on is cut where it was. */
  @ParameterizedTest
  @ValueSource(strings = {LAYERS, HYBRID})
  void runsKeepTheirCut(String how) throws IOException {
    Ran first = ran(train(how, "cut", "--epochs", "2", "--json"));
    assertThat(first.err())
        .containsPattern("stages have sections 1 to \\d+ \\(\\d+ % of the cost\\)");
    JsonNode stages = new JsonMapper().readTree(first.lastLine()).get("stages");
    String costs =
        stages.get("costs").valueStream().map(JsonNode::asString).collect(Collectors.joining(","));
    Path file = folder.resolve("cut").resolve(RunFolder.CONFIG);
    assertThat(Files.readString(file)).contains("section-costs: '" + costs + "'");
    Ran resumed =
        ran("train", "--resume", folder.resolve("cut").toString(), "--epochs", "3", "--json");
    assertThat(new JsonMapper().readTree(resumed.lastLine()).get("stages")).isEqualTo(stages);
  }

  @Test
  void costsDecideTheCut() {
    String[] given = {"--section-costs", "1,1,1,1,1,9,1,1", "--epochs", "1", "--json"};
    Ran ran = ran(train("--split layers --workers 2 --chunks 3", "given", given));
    assertThat(new JsonMapper().readTree(ran.lastLine()).get("stages").get("cut").toString())
        .isEqualTo("[0,5,8]");
  }

  /** Those that are left end with a line about the one that died, and the run can go on. */
  private void killStage(String how, int count) throws Exception {
    String[] often = {"--checkpoint-every", "3", "--keep", "2", "--epochs", "60"};
    Ran _ = ran(train(how + " --workers " + count, "whole", often));
    String[] slowly = {"--latency", "3ms", "--silence", "3"};
    String[] options = with(with(deep, often), with(how.split(" ", -1), slowly));
    Path run = folder.resolve("killed");
    int victim = random.nextInt(count);
    try (WorkerRun workers =
        new WorkerRun(count, folder.resolve("workers"), with(options, "--out", run.toString()))) {
      for (int rank = 0; rank < count; rank++) {
        workers.start(rank);
      }
      workers.awaitBeginning(run);
      Thread.sleep(random.nextInt(1500));
      workers.child(victim).signal("KILL");
      for (int rank = 0; rank < count; rank++) {
        if (rank != victim) {
          assertThat(workers.assertFailed(rank))
              .matches(
                  "heddle: rank " + victim + " on \\S+, at (epoch \\d+, step 1|the start): .+");
        }
      }
    }
    Ran _ = ran("train", "--resume", run.toString(), "--latency", "0s");
    assertThat(model("killed")).hasSameBinaryContentAs(model("whole"));
  }

  @Test
  void aKilledStage() throws Exception {
    killStage(KILLED_LAYERS, 3);
  }

  @Test
  void aKilledWayOfAStage() throws Exception {
    killStage(KILLED_HYBRID, 4);
  }

  @Tag("slow")
  @RepeatedTest(20)
  void killedStages() throws Exception {
    killStage(KILLED_LAYERS, 3);
  }

  @Tag("slow")
  @RepeatedTest(10)
  void killedWaysOfStages() throws Exception {
    killStage(KILLED_HYBRID, 4);
  }

  /** Long rings are cut at a few places: parts of them would send next to nothing. */
  @Test
  void saysWherePartsOfTheGraphWouldSendLess() throws IOException {
    String[] four = {"--chunks", "4", "--epochs", "1", "--hidden", "8"};
    deep[1] = RingGraph.write(folder.resolve("long"), 2000).toString();
    Ran ran = ran(train("--split layers --workers 4", "long-run", four));
    assertThat(ran.err())
        .containsPattern(
            "heddle: stages send .* MB in an epoch, and 4 parts of this graph would send .* MB:"
                + " --split graph sends less");
    deep[1] = RingGraph.write(folder.resolve("short"), 40).toString();
    // Gradients of parameters, which stages do not send, are more than rows here.
    Ran small = ran(train("--split layers --workers 4", "short-run", four));
    assertThat(small.err()).doesNotContain("sends less");
  }

  @Test
  void whatMakesNoSenseIsRefusedInALine() {
    assertRefused(
        train("--split layers --workers 9", "a"),
        "resgcn of 6 layers can be cut into 8 stages at most: use fewer --stages than 9");
    assertRefused(
        train("--workers 2 --chunks 3", "b"), "--chunks is for --split hybrid or layers, not ");
    assertRefused(
        train("--split layers --workers 2 --partition random", "c"),
        "--partition is for workers that share the graph, and each stage has all of it: leave it"
            + " out");
    assertRefused(
        train("--split hybrid --workers 3", "d"),
        "--split hybrid needs several workers for each stage, everywhere as many: 3 workers do not"
            + " make 2 such stages");
    assertRefused(
        train("--split layers --workers 2 --section-costs 1,2", "e"),
        "resgcn of 6 layers has 8 sections, and --section-costs says what 2 cost");
    assertRefused(
        train("--split layers --workers 2 --section-costs 1,x", "f"),
        "--section-costs takes whole numbers with commas, not '1,x'");
    assertRefused(
        train("--workers 2 --section-costs 1,2", "g"),
        "--section-costs is for --split hybrid or layers, not ");
  }

  private static void assertRefused(String[] command, String because) {
    Ran ran = Ran.heddle(command);
    assertThat(ran.exit()).isEqualTo(2);
    List<String> lines = ran.err().lines().filter(l -> l.startsWith("heddle: ")).toList();
    assertThat(lines).as(ran.err()).containsExactly("heddle: " + because);
  }
}
