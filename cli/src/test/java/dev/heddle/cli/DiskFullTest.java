package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk gets one line and exit code 1, and takes nothing that was there. */
class DiskFullTest {
  private static final int DISK_BYTES = 1 << 20;

  @TempDir private Path folder;

  private Path disk = Path.of("");
  private String graph = "";

  @BeforeEach
  void mount() throws IOException, InterruptedException {
    disk = Files.createDirectory(folder.resolve("disk"));
    graph = RingGraph.write(folder.resolve("rings"), 40, 64).toString();
    assumeTrue(
        Files.isExecutable(Path.of("/bin/mount"))
            && run("mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "tmpfs", disk.toString())
                == 0,
        "needs root to mount a small file system");
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    run("umount", disk.toString());
  }

  private static int run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }

  private Ran train(Path out, int epochs) {
    return Ran.heddle(
        "train",
        "--graph",
        graph,
        "--hidden",
        "128",
        "--epochs",
        "" + epochs,
        "--checkpoint-every",
        "1",
        "--out",
        out.toString());
  }

  private static void assertOneLine(Ran ran, String end) {
    String last = ran.err().strip().lines().reduce((_, line) -> line).orElseThrow();
    assertThat(last).startsWith("heddle: ").contains("No space left on device").endsWith(end);
    assertThat(ran.err()).doesNotContain("Exception");
    assertThat(ran.exit()).isEqualTo(1);
  }

  @Test
  void trainingGoesOnFromTheCheckpointBefore() throws IOException {
    Path run = disk.resolve("run");
    assertThat(train(run, 2).exit()).isZero();
    // Room for the small files of a run, but not for a checkpoint.
    Path filler = disk.resolve("filler");
    int free = (int) Files.getFileStore(disk).getUsableSpace();
    Files.write(filler, new byte[free - (24 << 10)]);
    Ran full = Ran.heddle("train", "--resume", run.toString(), "--epochs", "4");
    assertOneLine(full, "go on with: heddle train --resume " + run);
    try (Stream<Path> left = Files.list(run.resolve("checkpoints"))) {
      assertThat(left.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder("epoch-000001.safetensors", "epoch-000002.safetensors");
    }
    Files.delete(filler);
    Ran resumed = Ran.heddle("train", "--resume", run.toString(), "--epochs", "4");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(resumed.err()).contains("going on after epoch 2");
    assertThat(train(folder.resolve("straight"), 4).exit()).isZero();
    assertThat(run.resolve("model.safetensors"))
        .hasSameBinaryContentAs(folder.resolve("straight/model.safetensors"));
  }

  @Test
  void aDiskThatIsFullAtTheStartIsNamed() throws IOException {
    Files.write(disk.resolve("filler"), new byte[DISK_BYTES - (8 << 10)]);
    assertOneLine(train(disk.resolve("run"), 2), "");
  }

  @Test
  void storesAreNotLeftInHalf() throws IOException {
    String store = disk.resolve("store").toString();
    assertOneLine(
        Ran.heddle("generate", "--vertices", "20000", "--out", store), "No space left on device");
    RingGraph.write(folder.resolve("large"), 100_000);
    String large = folder.resolve("large").toString();
    assertOneLine(
        Ran.heddle("import", "--graph", large, "--out", store), "No space left on device");
    try (Stream<Path> left = Files.list(disk)) {
      assertThat(left).isEmpty();
    }
  }
}
