package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Python's safetensors library reads what we write, and we read what it writes. */
class SafetensorsPythonTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  @BeforeAll
  static void requirePython() throws IOException, InterruptedException {
    Path output = Files.createTempFile("python", ".txt");
    try {
      if (run(output, "-c", "import numpy, safetensors.numpy") != 0) {
        abort("skipped: python3 lacks the packages safetensors and numpy");
      }
    } catch (IOException e) {
      abort("skipped: no python3 (" + e.getMessage() + ")");
    } finally {
      Files.delete(output);
    }
  }

  @Test
  void pythonReadsOurs() throws IOException, InterruptedException {
    Path file = folder.resolve("ours.safetensors");
    try (Memory memory = new Memory()) {
      new SafetensorsWriter()
          .add("w", Matrix.of(memory, new float[][] {{1, 2, 3}, {4, 5, -0.5f}}))
          .add("i", new int[] {1, -2})
          .add("l", new long[] {1L << 40})
          .add("none", new int[0])
          .metadata("by", "ü")
          .write(file);
    }
    String script =
        """
        import sys
        from safetensors import safe_open
        with safe_open(sys.argv[1], "np") as f:
            print(sorted(f.keys()), f.metadata())
            for k in sorted(f.keys()):
                t = f.get_tensor(k)
                print(k, t.dtype, t.tolist())
        """;
    assertThat(python(script, file))
        .isEqualTo(
            """
            ['i', 'l', 'none', 'w'] {'by': '\\xfc'}
            i int32 [1, -2]
            l int64 [1099511627776]
            none int32 []
            w float32 [[1.0, 2.0, 3.0], [4.0, 5.0, -0.5]]
            """);
  }

  @Test
  void weReadPythons() throws IOException, InterruptedException {
    Path file = folder.resolve("theirs.safetensors");
    String script =
        """
        import sys, numpy as np
        from safetensors.numpy import save_file
        save_file({"w": np.arange(6, dtype=np.float32).reshape(3, 2),
                   "b": np.ones(3, dtype=np.float32),
                   "i": np.array([1, -2, 3], dtype=np.int32),
                   "l": np.array([[2**40]], dtype=np.int64)},
                  sys.argv[1], metadata={"by": "\\u00fc"})
        """;
    assertThat(python(script, file)).isEmpty();
    try (Memory memory = new Memory();
        Safetensors read = Safetensors.open(file)) {
      assertThat(read.metadata()).containsEntry("by", "ü").hasSize(1);
      assertThat(read.tensors()).containsOnlyKeys("w", "b", "i", "l");
      assertThat(read.matrix(memory, "w").toArray())
          .isDeepEqualTo(new float[][] {{0, 1}, {2, 3}, {4, 5}});
      assertThat(read.matrix(memory, "b").toArray()).isDeepEqualTo(new float[][] {{1, 1, 1}});
      assertThat(read.ints("i")).containsExactly(1, -2, 3);
      assertThat(read.longs("l")).containsExactly(1L << 40);
    }
  }

  private String python(String script, Path file) throws IOException, InterruptedException {
    Path output = folder.resolve("output.txt");
    int exit = run(output, "-c", script, file.toString());
    String printed = Files.readString(output);
    assertThat(exit).as(printed).isZero();
    return printed;
  }

  private static int run(Path output, String... arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(System.getenv().getOrDefault("HEDDLE_PYTHON", "python3"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("PYTHONIOENCODING", "ascii:backslashreplace");
    Process process = builder.start();
    if (!process.waitFor(DEADLINE)) {
      process.destroyForcibly();
      throw new AssertionError("python3 did not end within " + DEADLINE);
    }
    return process.exitValue();
  }
}
