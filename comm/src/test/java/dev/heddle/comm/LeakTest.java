package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A closed group leaves no thread, no open file and no file behind, whether it failed or not. */
@Timeout(60)
class LeakTest {
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("heddle-"))
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
    // Threads of handshakes and doors end by themselves, very soon.
    for (int i = 0; i < 100 && !threads().isEmpty(); i++) {
      Thread.sleep(20);
    }
    assertThat(threads()).isEmpty();
    assertThat(openFiles()).isLessThanOrEqualTo(files);
    assertThat(folders()).isLessThanOrEqualTo(folders);
  }
}
