package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LibraryPagesTest {
  private static final Path STATUS = Path.of("/proc/self/status");

  @Test
  void shrinksTheProcessAndLeavesItRunning() throws IOException {
    assumeTrue(Files.exists(STATUS), "resident pages are counted on Linux only");
    long before = filePages();
    LibraryPages.giveBack();
    assertThat(filePages()).isLessThan(before);
    // Whatever was dropped is read again when it is needed.
    try (Memory memory = new Memory()) {
      Matrix a = Matrix.allocate(memory, 3, 5);
      a.set(2, 4, 7);
      Matrix turned = Matrix.allocate(memory, 5, 3);
      a.transposeInto(turned);
      System.gc();
      assertThat(turned.get(4, 2)).isEqualTo(7);
    }
  }

  private static long filePages() throws IOException {
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith("RssFile:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
