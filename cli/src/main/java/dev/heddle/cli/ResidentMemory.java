package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The most memory this process has held, as the system counts it; 0 where it does not say. */
final class ResidentMemory {
  private ResidentMemory() {}

  static long peakBytes() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .map(line -> line.replaceAll("\\D", ""))
          .mapToLong(kilobytes -> Long.parseLong(kilobytes) * 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
