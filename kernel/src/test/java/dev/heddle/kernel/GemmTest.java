package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class GemmTest {
  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
  void usesTheLibraryWhereThereIsOne() {
    assumeTrue(System.getProperty("heddle.gemm", "auto").equals("auto"));
    assertThat(Gemm.description()).isEqualTo("oneDNN");
  }

  /** A profiler's signals reach threads inside the library, and ended the JVM once. */
  @Test
  @Timeout(60)
  void bearsAProfiler(@TempDir Path folder) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:StartFlightRecording=settings=profile,filename=" + folder.resolve("run.jfr"),
                "-cp",
                System.getProperty("java.class.path"),
                ManyProducts.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(folder.resolve("log"))).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Two threads that multiply for four seconds; whoever takes memory then finds what is broken. */
  static final class ManyProducts {
    private static final int ROWS = 20_000;
    private static final int BLOCK = 512;

    private ManyProducts() {}

    public static void main(String[] args) throws InterruptedException {
      Thread other = new Thread(ManyProducts::multiply);
      other.start();
      multiply();
      other.join();
    }

    private static void multiply() {
      try (Memory memory = new Memory()) {
        Matrix x = Matrix.allocate(memory, ROWS, 128);
        Matrix weight = Matrix.allocate(memory, 128, 128);
        Matrix y = Matrix.allocate(memory, ROWS, 128);
        x.fill(1);
        weight.fill(0.5f);
        GemmKernels gemm = Gemm.kernels();
        for (long end = System.nanoTime() + 4_000_000_000L; System.nanoTime() < end; ) {
          for (int row = 0; row < ROWS; row += BLOCK) {
            gemm.multiply(Math.min(BLOCK, ROWS - row), x, row, weight, y, row, false);
            try (Arena arena = Arena.ofConfined()) {
              arena.allocate(100L * (row % 97 + 1)).fill((byte) 1);
            }
          }
        }
        if (y.get(ROWS - 1, 127) != 64) {
          throw new IllegalStateException("a product came to " + y.get(ROWS - 1, 127));
        }
      }
    }
  }

  @Test
  void doesWithoutTheLibraryWhenTold() {
    assertThat(Gemm.choose("java").description()).startsWith("Java");
  }

  @Test
  void refusesUnknownWishes() {
    assertThatThrownBy(() -> Gemm.choose("blas")).hasMessageContaining("'blas'");
  }
}
