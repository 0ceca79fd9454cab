package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code heddle train --processes} does about the processes that it starts. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WorkerProcessesTest {
  @TempDir private Path folder;

  /** Workers that joined would be waited for a minute; these end when they read their options. */
  @Test
  void aWorkerThatEndsBeforeItJoinsEndsAll() {
    StringWriter log = new StringWriter();
    List<String> wrong = List.of("train", "--no-such-option");
    try (WorkerProcesses others = WorkerProcesses.start(3, wrong, new PrintWriter(log))) {
      assertThatThrownBy(() -> others.meet(joining -> joining, new Memory()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageMatching("rank [12] ended before it joined, with exit code 2");
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
    assertThat(ProcessHandle.current().descendants()).isEmpty();
  }

  @Test
  void aKilledProcessEndsTheRunAndLeavesNobody() throws Exception {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    Path run = folder.resolve("run");
    Child child =
        Child.start(
            folder.resolve("printed"),
            "train",
            "--graph",
            graph,
            "--epochs",
            "100000",
            "--workers",
            "3",
            "--processes",
            "--out",
            run.toString());
    awaitCheckpoint(run, child);
    List<ProcessHandle> others = child.process().descendants().toList();
    assertThat(others).hasSize(2);
    assertThat(others.getFirst().destroyForcibly()).isTrue();
    assertThat(child.await()).isEqualTo(1);
    assertThat(child.printed()).containsPattern("heddle: rank [12] on .*, at epoch .*: .*");
    assertThat(others).noneMatch(ProcessHandle::isAlive);
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
}
