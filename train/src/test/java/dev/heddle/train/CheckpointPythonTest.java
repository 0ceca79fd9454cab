package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.graph.Graph;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Python's safetensors library reads models and checkpoints: {@code HEDDLE_PYTHON}, or python3. */
class CheckpointPythonTest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);

  @TempDir private Path folder;

  private record Ended(int exit, String printed) {}

  @Test
  void pythonReadsWhatWeSave() throws IOException, InterruptedException {
    assumeTrue(
        python("import numpy, safetensors.numpy").exit() == 0,
        "skipped: no python3 with numpy and safetensors; set HEDDLE_PYTHON");
    Path model = folder.resolve("model.safetensors");
    String first;
    try (Graph graph = SmallGraph.of(300, 3, 1);
        Training training =
            Training.of(
                graph,
                ModelSpec.of(ModelKind.SAGE).hidden(5).build(),
                TrainSettings.builder().epochs(1).threads(1).build())) {
      training.checkpoints(new Checkpoints(folder, 1, 1, _ -> {})).run();
      training.save(model);
      var weight = training.model().parameters().all().getFirst();
      first = weight.name() + " " + Arrays.toString(weight.value().toArray()[0]);
    }
    String script =
        """
        import sys
        from safetensors import safe_open
        with safe_open(sys.argv[1], "np") as f:
            assert f.metadata()["heddle.model.kind"] == "sage"
            k = sys.argv[3]
            print(k, [float(str(x)) for x in f.get_tensor(k)[0]])
            with safe_open(sys.argv[2], "np") as g:
                assert (g.get_tensor("best." + k) == f.get_tensor(k)).all()
                assert "optimizer." + k + ".m" in g.keys() or len(g.keys()) > 3 * len(f.keys())
        """;
    Path checkpoint = folder.resolve("epoch-000001.safetensors");
    String name = first.substring(0, first.indexOf(' '));
    Ended ended = python(script, model.toString(), checkpoint.toString(), name);
    assertThat(ended.exit()).as(ended.printed()).isZero();
    assertThat(ended.printed().strip()).startsWith(name + " [");
    String[] theirs = ended.printed().replaceAll(".*\\[|\\]\\s*", "").split(", ", -1);
    String[] ours = first.replaceAll(".*\\[|\\]", "").split(", ", -1);
    for (int i = 0; i < ours.length; i++) {
      assertThat(Float.parseFloat(theirs[i])).isEqualTo(Float.parseFloat(ours[i]));
    }
  }

  private Ended python(String script, String... arguments) throws InterruptedException {
    String python = System.getenv().getOrDefault("HEDDLE_PYTHON", "python3");
    String[] command =
        Stream.concat(Stream.of(python, "-c", script), Stream.of(arguments)).toArray(String[]::new);
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      if (!process.waitFor(DEADLINE)) {
        process.destroyForcibly();
        throw new AssertionError("python did not end within " + DEADLINE);
      }
      byte[] printed = process.getInputStream().readAllBytes();
      return new Ended(process.exitValue(), new String(printed, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return new Ended(-1, String.valueOf(e.getMessage()));
    }
  }
}
