package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.nn.ModelKind;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@link GraphParallelTest} shows of threads, of processes: one set of JVMs trains all models,
 * each on a random graph of its own.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ProcessParallelTest {
  private static final Duration DEADLINE = Duration.ofSeconds(150);

  @TempDir private Path folder;

  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly();
      assertThat(process.waitFor(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void threeProcessesTrainLikeOneWorker() throws Exception {
    trainsLikeOneWorker(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 7})
  @Tag("slow")
  void anyNumberOfProcessesTrainsLikeOneWorker(int workers) throws Exception {
    trainsLikeOneWorker(workers);
  }

  private void trainsLikeOneWorker(int workers) throws IOException, InterruptedException {
    long seed = TestSeed.random(this).nextLong();
    for (int rank = 0; rank < workers; rank++) {
      processes.add(start(rank, workers, seed));
    }
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    for (int rank = 0; rank < workers; rank++) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      assertThat(processes.get(rank).waitFor(left)).isTrue();
      assertThat(processes.get(rank).exitValue()).as(printed(rank)).isZero();
    }
    List<DataInputStream> outcomes = new ArrayList<>();
    for (int rank = 0; rank < workers; rank++) {
      var file = Files.newInputStream(folder.resolve("rank-" + rank));
      outcomes.add(new DataInputStream(new BufferedInputStream(file)));
    }
    for (ModelKind kind : ModelKind.values()) {
      try (ParallelCase what = ParallelWorker.trial(seed, kind, workers)) {
        List<Outcome> together = new ArrayList<>();
        for (DataInputStream outcome : outcomes) {
          together.add(Outcome.read(outcome));
        }
        Outcome.assertLikeOneWorker(together, what);
      }
    }
    for (DataInputStream outcome : outcomes) {
      assertThat(outcome.read()).isEqualTo(-1);
      outcome.close();
    }
  }

  private Process start(int rank, int workers, long seed) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dheddle.simd=" + System.getProperty("heddle.simd", "auto"),
            "-cp",
            System.getProperty("java.class.path"),
            ParallelWorker.class.getName(),
            Integer.toString(rank),
            Integer.toString(workers),
            Long.toString(seed),
            folder.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("printed-" + rank).toFile())
        .start();
  }

  private String printed(int rank) throws IOException {
    return Files.readString(folder.resolve("printed-" + rank));
  }
}
