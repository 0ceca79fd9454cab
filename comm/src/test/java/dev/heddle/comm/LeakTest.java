package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A closed group leaves no thread, no open file and no file behind, whether it failed or not. */
@Timeout(60)
class LeakTest {
  /** Threads of groups, and where each of them is. */
  private static List<String> threads() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().startsWith("heddle-"))
        .map(thread -> thread.getKey().getName() + " at " + Arrays.toString(thread.getValue()))
        .sorted()
        .toList();
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  private static long folders() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files.filter(p -> p.getFileName().toString().startsWith("heddle-")).count();
    }
  }

  private static void once(Fleet fleet, boolean fails) {
    try {
      fleet.run(
          3,
          group -> {
            try (Memory memory = new Memory()) {
              MemorySegment values = memory.allocateFloats(20_000);
              group.sum(Kind.GRADIENT, values);
              if (fails && group.rank() == 1) {
                throw new IllegalStateException("on purpose");
              }
              group.barrier();
            }
          });
      assertThat(fails).isFalse();
    } catch (GroupException e) {
      assertThat(fails).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void leavesNothingBehind(Fleet fleet) throws Exception {
    once(fleet, false);
    long files = openFiles();
    long folders = folders();
    for (int i = 0; i < 6; i++) {
      once(fleet, i % 2 == 1);
    }
    assertNoThreads();
    assertThat(openFiles()).isLessThanOrEqualTo(files);
    assertThat(folders()).isLessThanOrEqualTo(folders);
  }

  /** Threads of handshakes and doors end by themselves, very soon. */
  private static void assertNoThreads() throws InterruptedException {
    for (int i = 0; i < 100 && !threads().isEmpty(); i++) {
      Thread.sleep(20);
    }
    assertThat(threads()).isEmpty();
  }

  /** Rows that wait for a receiver's memory, or for a slow link, do not outlive their group. */
  @ParameterizedTest
  @EnumSource(
      value = Fleet.class,
      names = {"UNIX", "TCP", "TLS"})
  void abandonsWhatNobodyTakes(Fleet fleet) throws Exception {
    GroupSettings settings = Fleet.SETTINGS.withSilence(Duration.ofMinutes(1));
    // The one or the other may have noticed the early end, which is no matter here.
    Throwable _ =
        catchThrowable(() ->
            fleet.run(
                2,
                settings,
                group -> {
                  try (Memory memory = new Memory()) {
                    if (group.rank() == 0) {
                      Pending _ = group.send(1, 0, Kind.HALO, memory.allocateFloats(20_000));
                    }
                    group.barrier();
                  }
                  Thread.currentThread().interrupt(); // Closing then waits for nobody.
                }));
    assertNoThreads();
  }
}
