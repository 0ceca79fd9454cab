package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints on a disk that stops: an ext4 file system in a file, which {@code fsfreeze} makes
 * take no more writes, so that the first worker hangs in the kernel as on a disk that does not
 * answer.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SlowDiskTest {
  @TempDir private Path folder;

  private final SplittableRandom random = TestSeed.random(this);
  private Path disk = Path.of("");
  private String[] options = {};

  @BeforeEach
  void mount() throws IOException, InterruptedException {
    disk = Files.createDirectory(folder.resolve("disk"));
    Path image = folder.resolve("image");
    Files.write(image, new byte[16 << 20]);
    assumeTrue(
        Stream.of("/sbin/fsfreeze", "/sbin/mkfs.ext4", "/bin/mount")
                .allMatch(tool -> Files.isExecutable(Path.of(tool)))
            && run("mkfs.ext4", "-q", "-F", image.toString()) == 0
            && run("mount", "-o", "loop", image.toString(), disk.toString()) == 0,
        "needs root to mount a file system that can be frozen");
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    options = new String[] {"--graph", graph, "--epochs", "100", "--checkpoint-every", "1"};
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    run("fsfreeze", "-u", disk.toString());
    run("umount", disk.toString());
  }

  private static int run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }

  private Path run() {
    return disk.resolve("run");
  }

  private void assertSameAsOnAnotherDisk() {
    Path other = folder.resolve("undisturbed");
    String[] command = {"train", "--workers", "3", "--threads", "3", "--out", other.toString()};
    Ran ran = Ran.heddle(with(command, options));
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(run().resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(other.resolve(RunFolder.MODEL));
  }

  private WorkerRun start(String... more) throws IOException, InterruptedException {
    WorkerRun workers =
        new WorkerRun(
            folder.resolve("workers"),
            with(with(options, "--out", run().toString(), "--latency", "3ms"), more));
    for (int rank = 0; rank < WorkerRun.WORKERS; rank++) {
      workers.start(rank);
    }
    workers.awaitBeginning(run());
    Thread.sleep(random.nextInt(1000));
    assertThat(run("fsfreeze", "-f", disk.toString())).isZero();
    return workers;
  }

  /** Longer than anyone may be silent: a worker that waits for its disk is not dead. */
  private void slow() throws Exception {
    try (WorkerRun workers = start("--silence", "1.5", "--wait", "60")) {
      Thread.sleep(random.nextInt(500, 4000));
      assertThat(run("fsfreeze", "-u", disk.toString())).isZero();
      workers.assertEndedWell();
    }
    assertSameAsOnAnotherDisk();
  }

  /** Longer than the others will wait. */
  private void stuck() throws Exception {
    try (WorkerRun workers = start("--silence", "1.5", "--wait", "2")) {
      try {
        for (int rank = 1; rank < WorkerRun.WORKERS; rank++) {
          assertThat(workers.assertFailed(rank))
              .matches(
                  "heddle: rank 0 on \\S+, at (epoch \\d+, step 1|the start): .*did not send .*");
        }
      } finally {
        // A process that waits for its disk cannot even be killed.
        assertThat(run("fsfreeze", "-u", disk.toString())).isZero();
      }
      assertThat(workers.assertFailed(0)).contains("rank 0 on ");
    }
    Ran resumed = Ran.heddle("train", "--resume", run().toString(), "--latency", "0s");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertSameAsOnAnotherDisk();
  }

  @Test
  void aSlowDisk() throws Exception {
    slow();
  }

  @Test
  void aDiskThatIsStuck() throws Exception {
    stuck();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void slowDisks() throws Exception {
    slow();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void disksThatAreStuck() throws Exception {
    stuck();
  }
}
