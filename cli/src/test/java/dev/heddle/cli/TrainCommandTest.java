package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as a user meets it: what it prints, what it leaves behind. */
class TrainCommandTest {
  @TempDir private Path folder;

  private String graph = "";
  private String run = "";

  @BeforeEach
  void writeGraph() throws IOException {
    graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    run = folder.resolve("run").toString();
  }

  private static JsonNode json(String text) {
    return new JsonMapper().readTree(text);
  }

  @Test
  void theSummaryHasTheNamesThatWereAgreedOn() {
    Ran ran =
        Ran.heddle(
            "train", "--graph", graph, "--out", run, "--epochs", "30", "--threads", "1", "--json");
    assertThat(ran.err()).contains("epoch 30/30").contains("epochs/s");
    assertThat(ran.exit()).isZero();
    JsonNode summary = json(ran.lastLine());
    assertThat(names(summary))
        .containsExactly(
            "heddle",
            "graph",
            "model",
            "knobs",
            "stages",
            "engine",
            "workers",
            "partition",
            "threads",
            "seed",
            "epochs",
            "epochSeconds",
            "trainSeconds",
            "loss",
            "metric",
            "bestEpoch",
            "train",
            "valid",
            "test",
            "sent",
            "exchange",
            "fetched",
            "queues",
            "sync",
            "batches",
            "depth",
            "stageSeconds",
            "workerSeconds",
            "peakMemoryBytes");
    assertThat(names(summary.get("knobs")))
        .containsExactly(
            "preset",
            "changed",
            "split",
            "codec",
            "codecDelta",
            "preAggregate",
            "overlap",
            "fetch",
            "queues",
            "sync",
            "halfSums",
            "gradientCodec");
    assertThat(names(summary.get("sent")))
        .containsExactly("bytes", "messages", "bytesPerEpoch", "byKind");
    assertThat(names(summary.get("sent").get("byKind")))
        .containsExactly(
            "halo",
            "feature",
            "sample",
            "gradient",
            "boundary",
            "control",
            "featureRequest",
            "sampleRequest",
            "evaluation");
    assertThat(names(summary.get("stageSeconds")))
        .containsExactly("sample", "fetch", "compute", "exchange", "update", "idle");
    assertThat(summary.get("test").asDouble()).isEqualTo(1.0);
    assertThat(summary.get("graph").get("nodes").asInt()).isEqualTo(40);
    assertThat(summary.get("model").get("kind").asString()).isEqualTo("gcn");
  }

  @Test
  void batchesAreTrainedOn() {
    Ran ran =
        Ran.heddle(
            "train",
            "--graph",
            graph,
            "--out",
            run,
            "--epochs",
            "20",
            "--threads",
            "1",
            "--batch",
            "7",
            "--fanout",
            "2,-1",
            "--json");
    assertThat(ran.exit()).isZero();
    JsonNode summary = json(ran.lastLine());
    JsonNode knobs = summary.get("knobs");
    assertThat(knobs.get("preset").asString()).isEqualTo("vanilla-mini");
    assertThat(knobs.get("batch").asInt()).isEqualTo(7);
    assertThat(knobs.get("fanout").toString()).isEqualTo("[2,-1]");
    assertThat(summary.get("stageSeconds").get("sample").asDouble()).isPositive();
  }

  @Test
  void whatBatchesCannotDoIsSaidInOneLine() {
    Ran without = Ran.heddle("train", "--graph", graph, "--out", run, "--fanout", "2,2");
    assertThat(without.exit()).isEqualTo(2);
    assertThat(without.err()).contains("--batch 1024");
    Ran hops =
        Ran.heddle("train", "--graph", graph, "--out", run + "2", "--batch", "7", "--fanout", "2");
    assertThat(hops.exit()).isEqualTo(2);
    assertThat(hops.err()).contains("this gcn takes 2 hops and a fan-out for each, not 1");
  }

  private static List<String> names(JsonNode node) {
    return List.copyOf(node.propertyNames());
  }

  @Test
  void aRunLeavesAFolder() throws IOException {
    Ran ran = Ran.heddle("train", "--graph", graph, "--out", run, "--epochs", "5");
    assertThat(ran.exit()).isZero();
    Path left = Path.of(run);
    assertThat(json(Files.readString(left.resolve("summary.json"))).get("epochs").asInt())
        .isEqualTo(5);
    assertThat(json(Files.readString(left.resolve("environment.json"))).get("java")).isNotNull();
    assertThat(Files.readAllLines(left.resolve("metrics.jsonl"))).hasSize(5);
    assertThat(left.resolve("model.safetensors")).exists();
    assertThat(Files.readString(left.resolve("run.yaml"))).contains("epochs: 5", "seed: 0");
    // What it says is what was run: the same again gives the same model.
    Path again = folder.resolve("again");
    Ran second =
        Ran.heddle("train", "--config", left.resolve("run.yaml").toString(), "--out", "" + again);
    assertThat(second.exit()).isZero();
    assertThat(again.resolve("model.safetensors"))
        .hasSameBinaryContentAs(left.resolve("model.safetensors"));
  }

  @Test
  void flagsWinOverTheFile() throws IOException {
    Path config = folder.resolve("run.yaml");
    Files.writeString(
        config, "graph: " + graph + "\nepochs: 7\nhidden: 5\nmodel: sage\ndirected: true\n");
    String[] flags = {"train", "--hidden", "3", "--no-directed", "--json"};
    Ran ran = Ran.heddle(with(flags, "--config", config.toString(), "--out", run));
    assertThat(ran.err()).doesNotContain("heddle:");
    JsonNode summary = json(ran.lastLine());
    assertThat(summary.get("epochs").asInt()).isEqualTo(7);
    assertThat(summary.get("model").get("hidden").asInt()).isEqualTo(3);
    assertThat(summary.get("model").get("kind").asString()).isEqualTo("sage");
    assertThat(summary.get("graph").get("edges").asInt()).isEqualTo(80);
  }

  @Test
  void aFinishedRunCanGoOnForLonger() throws IOException {
    String[] settings = {"train", "--graph", graph, "--dropout", "0.3", "--checkpoint-every", "2"};
    String straight = folder.resolve("straight").toString();
    assertThat(Ran.heddle(with(settings, "--out", straight, "--epochs", "9")).exit()).isZero();
    assertThat(Ran.heddle(with(settings, "--out", run, "--epochs", "4")).exit()).isZero();
    Ran resumed = Ran.heddle("train", "--resume", run, "--epochs", "9");
    assertThat(resumed.err()).contains("going on after epoch 4");
    assertThat(resumed.exit()).isZero();
    assertThat(Path.of(run, "model.safetensors"))
        .hasSameBinaryContentAs(Path.of(straight, "model.safetensors"));
    assertThat(Files.readAllLines(Path.of(run, "metrics.jsonl"))).hasSize(9);
  }

  @Test
  void baselinesAreShownOnRequest() {
    Ran ran = Ran.heddle("train", "--graph", graph, "--out", run, "--epochs", "3", "--baselines");
    assertThat(ran.out()).contains("mlp (no graph)", "label propagation", "majority class");
    assertThat(ran.out()).contains("heddle predict " + run);
  }

  @Test
  void predictionsAndScoresAreThoseOfTraining() throws IOException {
    Ran trained = Ran.heddle("train", "--graph", graph, "--out", run, "--epochs", "30", "--json");
    Ran evaluated = Ran.heddle("evaluate", run, "--json");
    assertThat(evaluated.exit()).isZero();
    assertThat(json(evaluated.lastLine()).get("test"))
        .isEqualTo(json(trained.lastLine()).get("test"));
    Path csv = folder.resolve("p.csv");
    assertThat(Ran.heddle("predict", run, "--out", csv.toString()).exit()).isZero();
    List<String> lines = Files.readAllLines(csv);
    assertThat(lines).hasSize(41).first().isEqualTo("id,class,probability,0,1");
    assertThat(lines.get(4)).startsWith("3,1,0.");
    Path npy = folder.resolve("p.npy");
    assertThat(Ran.heddle("predict", run, "--out", npy.toString()).exit()).isZero();
    assertThat(Files.size(npy)).isEqualTo(128 + 40 * 2 * 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"train", "evaluate", "predict", "init", "completion"})
  void helpHasAnExample(String command) {
    Ran ran = Ran.heddle(command, "--help");
    assertThat(ran.out()).containsPattern("Examples?:\\R  .*heddle " + command);
    assertThat(ran.exit()).isZero();
  }

  @Test
  void shellsCompleteCommandsOptionsAndChoices() {
    Ran ran = Ran.heddle("completion");
    assertThat(ran.out()).contains("complete -F", "--weight-decay", "sage-pool");
  }
}
