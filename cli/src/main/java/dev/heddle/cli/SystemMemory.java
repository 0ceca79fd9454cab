package dev.heddle.cli;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux says of memory; other systems say nothing. */
final class SystemMemory {
  private SystemMemory() {}

  /** The most memory this process has held; 0 where the system does not say. */
  static long peakBytes() {
    return kilobytes("/proc/self/status", "VmHWM:", 0);
  }

  /**
   * What can be taken without swapping, nor more than the container may have; no limit where the
   * system does not say.
   */
  static long availableBytes() {
    return Math.min(
        kilobytes("/proc/meminfo", "MemAvailable:", Long.MAX_VALUE), ControlGroup.availableBytes());
  }

  /** Memory that refuses to take more than is available now. */
  static Memory available() {
    return Memory.limitedTo(availableBytes());
  }

  private static long kilobytes(String file, String start, long otherwise) {
    try {
      return Files.readAllLines(Path.of(file)).stream()
          .filter(line -> line.startsWith(start))
          .map(line -> line.replaceAll("\\D", ""))
          .mapToLong(digits -> Long.parseLong(digits) * 1024)
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
