package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.train.settings.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** All systems that are built, side by side by one command. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class ComparePresetsTest {
  @TempDir private Path folder;

  @Test
  void allPresetsTrainTheSameModelWithTheSameWorkers() throws IOException {
    String graph = RingGraph.write(folder.resolve("rings"), 60).toString();
    Path out = folder.resolve("presets");
    Ran ran =
        Ran.heddle(
            "compare",
            "--presets",
            "all",
            "--graph",
            graph,
            "--epochs",
            "3",
            "--hidden",
            "4",
            "--batch",
            "9",
            "--workers",
            "2",
            "--out",
            out.toString(),
            "--json");
    assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
    assertThat(ran.err()).contains("filled in for all --layers 2 --model gcn\n");
    JsonNode comparison = new JsonMapper().readTree(ran.lastLine());
    List<String> built = Arrays.stream(Preset.values()).map(Preset::toString).toList();
    assertThat(comparison.get("variants").valueStream().map(v -> v.get("name").asString()))
        .containsExactlyElementsOf(built);
    for (String preset : built) {
      JsonNode run =
          new JsonMapper()
              .readTree(Files.readString(out.resolve(preset).resolve("seed-0/summary.json")));
      assertThat(run.at("/knobs/preset").asString()).isEqualTo(preset);
      assertThat(run.get("workers").asInt()).isEqualTo(2);
      assertThat(run.at("/model/kind").asString()).isEqualTo("gcn");
      assertThat(run.at("/model/layers").asInt()).isEqualTo(2);
      boolean batches = run.get("knobs").has("batch");
      assertThat(batches).isEqualTo(Preset.valueOf(key(preset)).knobs(3).split().inBatches());
    }
  }

  private static String key(String preset) {
    return preset.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
