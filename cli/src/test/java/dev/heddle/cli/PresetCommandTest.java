package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Presets as a user meets them: alone they run, their knobs can be overridden, runs name them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PresetCommandTest {
  @TempDir private Path folder;

  private String[] base = {};

  @BeforeEach
  void writeGraph() throws IOException {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    String out = folder.resolve("run").toString();
    base =
        new String[] {
          "train", "--graph", graph, "--out", out, "--epochs", "10", "--threads", "1", "--json"
        };
  }

  private static JsonNode summary(Ran ran) {
    assertThat(ran.exit()).as(ran.err()).isZero();
    return new JsonMapper().readTree(ran.lastLine());
  }

  private static String changed(JsonNode summary) {
    return summary.get("knobs").get("changed").valueStream().map(JsonNode::asString).toList() + "";
  }

  private String runFile() throws IOException {
    return Files.readString(folder.resolve("run/run.yaml"));
  }

  @ParameterizedTest
  @CsvSource({
    "vanilla-full, graph, --workers 4",
    "vanilla-mini, seeds, --workers 4 --batch 1024",
    "adaqp, graph, --workers 4",
    "batchgnn, seeds, --workers 4 --batch 1024",
    "gnnpipe, layers, --workers 4 --model resgcn --layers 8",
    "mqgnn, seeds, --workers 4 --batch 1024",
  })
  void onesNameIsEnough(String preset, String split, String filledIn) throws IOException {
    Ran ran = Ran.heddle(with(base, "--preset", preset));
    JsonNode summary = summary(ran);
    assertThat(ran.err().lines().filter(line -> line.startsWith("preset " + preset)))
        .singleElement()
        .asString()
        .startsWith("preset " + preset + ": filled in " + filledIn + ";");
    assertThat(summary.get("workers").asInt()).isEqualTo(4);
    assertThat(summary.get("knobs").get("preset").asString()).isEqualTo(preset);
    assertThat(summary.get("knobs").get("split").asString()).isEqualTo(split);
    assertThat(changed(summary)).isEqualTo("[]");
    assertThat(runFile()).contains("preset: " + preset + "\n", "workers: 4\n");
  }

  /** Runs are named after what they are, not after what was asked for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                                  | vanilla-full | []",
        "--batch 9                                         | vanilla-mini | []",
        "--batch 9 --ahead                                 | vanilla-mini | [fetch.ahead]",
        "--preset vanilla-full --workers 1                 | vanilla-full | []",
        "--workers 2                                       | vanilla-full | []",
        "--workers 2 --half-sums on                        | vanilla-full | [halfSums, gradientCodec]",
        "--workers 2 --batch 9 --macrobatch 1              | vanilla-mini | []",
        "--workers 2 --batch 9                             | batchgnn     | [fetch.ahead]",
        "--workers 2 --batch 9 --ahead --topology auto     | batchgnn     | [fetch.topology]",
        "--workers 2 --batch 9 --ahead --cache aggregated  | batchgnn     | [fetch.cache]",
        "--workers 2 --batch 9 --ahead --codec bits8       | custom       | []",
        "--workers 2 --overlap on                          | custom       | []",
        "--workers 2 --codec adaptive --overlap on         | adaqp        | [codecPeriod]",
        "--preset adaqp --workers 2 --codec-lambda 0.25    | adaqp        | [codecLambda]",
        "--preset adaqp --workers 2 --codec bits4          | custom       | []",
        "--preset adaqp --workers 2 --overlap off          | custom       | []",
        "--preset adaqp --workers 2 --codec fp32 --overlap off | vanilla-full | []",
        "--preset batchgnn --workers 2 --macrobatch 1      | vanilla-mini | [fetch.ahead]",
        "--split layers --workers 2                        | gnnpipe      | []",
        "--split layers --workers 2 --chunks 3 --refresh 5 | gnnpipe      | [chunks, refresh]",
        "--preset gnnpipe --workers 2 --codec bits8        | custom       | []",
        "--split hybrid --workers 4 --overlap on           | custom       | []",
        "--preset mqgnn --workers 1 --batch 9              | mqgnn        | []",
        "--preset mqgnn --workers 2 --batch 9 --queues 3   | mqgnn        | [queues]",
        "--preset mqgnn --workers 2 --batch 9 --sync every-step | custom   | []",
        "--workers 2 --batch 9 --queues 2                  | custom       | []",
      })
  void kindsMakeTheName(String flags, String preset, String changed) {
    String[] more = flags == null ? new String[0] : flags.split(" ", -1);
    JsonNode summary = summary(Ran.heddle(with(base, more)));
    assertThat(summary.get("knobs").get("preset").asString()).isEqualTo(preset);
    assertThat(changed(summary)).isEqualTo(changed);
  }

  @Test
  void filesAndFlagsWin() throws IOException {
    Path config = folder.resolve("mine.yaml");
    Files.writeString(config, "preset: adaqp\nworkers: 2\ncodec-group: 7\n");
    Ran ran = Ran.heddle(with(base, "--config", config.toString(), "--codec-lambda", "1"));
    JsonNode knobs = summary(ran).get("knobs");
    assertThat(ran.err()).doesNotContain("filled in");
    assertThat(knobs.get("codecGroup").asInt()).isEqualTo(7);
    assertThat(knobs.get("codecLambda").asDouble()).isEqualTo(1);
    assertThat(knobs.get("codecPeriod").asInt()).isEqualTo(2);
    assertThat(knobs.get("overlap").asString()).isEqualTo("on");
  }

  /** What was settled on stays so, also in a run that goes on for longer. */
  @Test
  void resumedRunsKeepTheirKnobs() throws IOException {
    JsonNode _ = summary(Ran.heddle(with(base, "--preset", "adaqp", "--workers", "2")));
    assertThat(runFile()).contains("codec: adaptive\n", "codec-period: 2\n", "overlap: on\n");
    String run = folder.resolve("run").toString();
    Ran resumed = Ran.heddle("train", "--resume", run, "--epochs", "20", "--json");
    JsonNode knobs = summary(resumed).get("knobs");
    assertThat(resumed.err()).contains("going on after epoch 10").doesNotContain("filled in");
    assertThat(knobs.get("preset").asString()).isEqualTo("adaqp");
    assertThat(knobs.get("codecPeriod").asInt()).isEqualTo(2);
  }

  /**
   * T-M3, by processes: stopped after some epochs, it goes on to the bits of sums in every step.
   */
  @Test
  void resumedProcessesWithOneStepUnderWayAreSynchronous() throws IOException {
    String[] workers = {"--workers", "2", "--processes", "--batch", "7", "--macrobatch", "1"};
    String[] scored = with(workers, "--evaluate-every", "1");
    String[] racom = {"--preset", "mqgnn", "--staleness", "1", "--queues", "2"};
    String half = folder.resolve("half").toString();
    String[] shorter = base.clone();
    shorter[List.of(base).indexOf("--out") + 1] = half;
    shorter[List.of(base).indexOf("--epochs") + 1] = "4";
    JsonNode _ = summary(Ran.heddle(with(with(shorter, scored), racom)));
    JsonNode resumed = summary(Ran.heddle("train", "--resume", half, "--epochs", "10", "--json"));
    JsonNode should = summary(Ran.heddle(with(base, scored)));
    assertThat(resumed.get("knobs").get("staleness").asInt()).isEqualTo(1);
    assertThat(resumed.get("loss").asDouble()).isEqualTo(should.get("loss").asDouble());
    assertThat(folder.resolve("half/model.safetensors"))
        .hasSameBinaryContentAs(folder.resolve("run/model.safetensors"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--queues 0                  | queues have room for 1 to 16 rounds of batches, not 0",
        "--queues many               | queues are off, adaptive or a number from 1 to 16, not many",
        "--sync racom --staleness 17 | from 1 to 16 steps can be under way, not 17",
        "--sync racom --consistency -3 | consistency is off, adaptive or a number of steps from 1 on, not -3",
        "--staleness 2 | --staleness is for --sync racom, not every-step",
        "--half-sums on --gradient-codec bits8 | --half-sums on is --gradient-codec bfloat16, not bits8: say one of them",
      })
  void whatIsSaidWrongIsRefusedInOneLine(String flags, String because) {
    String[] batches = {"--workers", "2", "--batch", "9"};
    Ran ran = Ran.heddle(with(with(base, batches), flags.split(" ", -1)));
    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err().strip().lines().toList()).isEqualTo(List.of("heddle: " + because));
  }
}
