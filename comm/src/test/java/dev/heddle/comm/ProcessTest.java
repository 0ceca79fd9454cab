package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that are JVMs of their own: they sum, and are killed or frozen while they do. */
@Timeout(120)
class ProcessTest {
  private static final int WORKERS = 3;

  /** In which a frozen worker must be noticed. */
  private static final Duration SILENCE = Duration.ofSeconds(1);

  /** Machines that run tests may pause for many seconds. */
  private static final Duration BOUND = SILENCE.plusSeconds(30);

  private final SplittableRandom random = TestSeed.random(this);
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void start(Path folder, int steps) throws IOException {
    for (int rank = 0; rank < WORKERS; rank++) {
      ProcessBuilder command =
          new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "--add-modules",
              "jdk.incubator.vector",
              "--enable-native-access=ALL-UNNAMED",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-cp",
              System.getProperty("java.class.path"),
              FaultWorker.class.getName(),
              Integer.toString(rank),
              Integer.toString(WORKERS),
              "unix:" + folder.resolve("r"),
              Long.toString(SILENCE.toMillis()),
              Integer.toString(steps));
      processes.add(command.redirectError(ProcessBuilder.Redirect.DISCARD).start());
    }
  }

  /** Reads what a worker says until a line begins like this. */
  private static String await(Process process, String beginning) throws IOException {
    BufferedReader lines = process.inputReader();
    String line = lines.readLine();
    while (line != null && !line.startsWith(beginning)) {
      line = lines.readLine();
    }
    return String.valueOf(line);
  }

  private void disturb(Path folder, String signal) throws Exception {
    start(folder, Integer.MAX_VALUE);
    for (Process process : processes) {
      assertThat(await(process, "step")).startsWith("step");
    }
    Thread.sleep(random.nextInt(300));
    int victim = random.nextInt(WORKERS);
    long began = System.nanoTime();
    String pid = Long.toString(processes.get(victim).pid());
    assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
    for (int rank = 0; rank < WORKERS; rank++) {
      if (rank != victim) {
        String failed = await(processes.get(rank), "FAILED");
        assertThat(failed).startsWith("FAILED " + victim + " step ");
        assertThat(processes.get(rank).waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(processes.get(rank).exitValue()).isEqualTo(1);
      }
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);
  }

  @Test
  void sumsAndEnds(@TempDir Path folder) throws Exception {
    start(folder, 20);
    for (Process process : processes) {
      assertThat(await(process, "done")).isEqualTo("done");
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }
  }

  @Test
  void endsWhenAWorkerIsKilled(@TempDir Path folder) throws Exception {
    disturb(folder, "-KILL");
  }

  @Test
  void endsWhenAWorkerIsFrozen(@TempDir Path folder) throws Exception {
    disturb(folder, "-STOP");
  }

  @Tag("slow")
  @RepeatedTest(20)
  void endsWhenAWorkerIsKilledAnyTime(@TempDir Path folder) throws Exception {
    disturb(folder, "-KILL");
  }

  @Tag("slow")
  @RepeatedTest(20)
  void endsWhenAWorkerIsFrozenAnyTime(@TempDir Path folder) throws Exception {
    disturb(folder, "-STOP");
  }
}
