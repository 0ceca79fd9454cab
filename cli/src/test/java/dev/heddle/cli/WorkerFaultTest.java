package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a run when one of its processes dies, and of the run after that. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class WorkerFaultTest {
  private static final String EPOCHS = "600";

  @TempDir private Path folder;

  @Test
  void aKilledWorkerEndsTheRunAndItGoesOnToTheSameBits() throws Exception {
    killAndResume();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void twentyTimes() throws Exception {
    killAndResume();
  }

  private void killAndResume() throws IOException, InterruptedException {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    Path run = folder.resolve("run");
    String[] options = {"--graph", graph, "--epochs", EPOCHS, "--workers", "3", "--keep", "1"};
    Child child =
        Child.start(
            folder.resolve("printed"),
            with(options, "train", "--out", run.toString(), "--processes"));
    awaitCheckpoint(run, child);
    Stream<ProcessHandle> others = child.process().descendants();
    assertThat(others.findAny().orElseThrow().destroyForcibly()).isTrue();
    assertThat(child.await()).isEqualTo(1);
    assertThat(child.printed()).containsPattern("heddle: rank [12] on .*: .*");

    Ran resumed = Ran.heddle("train", "--resume", run.toString(), "--no-processes");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    Path undisturbed = folder.resolve("undisturbed");
    assertThat(Ran.heddle(with(options, "train", "--out", undisturbed.toString())).exit()).isZero();
    assertThat(run.resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(undisturbed.resolve(RunFolder.MODEL));
  }

  private static void awaitCheckpoint(Path run, Child child)
      throws IOException, InterruptedException {
    Path checkpoints = RunFolder.checkpoints(run);
    while (child.process().isAlive()) {
      if (Files.isDirectory(checkpoints)) {
        try (Stream<Path> files = Files.list(checkpoints)) {
          if (files.anyMatch(file -> file.toString().endsWith(".safetensors"))) {
            return;
          }
        }
      }
      Thread.sleep(5);
    }
    throw new AssertionError("it ended before its first checkpoint: " + child.printed());
  }

  private static String[] with(String[] more, String... args) {
    return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
  }
}
