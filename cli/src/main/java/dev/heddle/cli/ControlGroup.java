package dev.heddle.cli;

import dev.heddle.train.run.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a container may still take: Linux limits the memory of groups of processes, in either of two
 * versions (cgroups(7)), and a group is also bound by what the groups around it may.
 */
final class ControlGroup {
  /** Names of files: what may be used, what is used, and which of that is cache. */
  private enum Version {
    ONE("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "),
    TWO("memory.max", "memory.current", "inactive_file ");

    private final String limit;
    private final String used;
    private final String cache;

    Version(String limit, String used, String cache) {
      this.limit = limit;
      this.used = used;
      this.cache = cache;
    }
  }

  private ControlGroup() {}

  /** What this process may still take; no limit where there is none. */
  static long availableBytes() {
    return availableBytes(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
  }

  /**
   * What a process may still take, by the given files instead of the system's.
   *
   * @param groups the groups of a process, a line {@code number:kinds:path} each
   * @param root where the system shows groups as folders
   */
  static long availableBytes(Path groups, Path root) {
    long available = Long.MAX_VALUE;
    for (String line : lines(groups)) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3 && parts[1].isEmpty()) {
        available = Math.min(available, available(root, parts[2], Version.TWO));
      } else if (parts.length == 3 && List.of(parts[1].split(",")).contains("memory")) {
        available = Math.min(available, available(root.resolve("memory"), parts[2], Version.ONE));
      }
    }
    return available;
  }

  /** The least of a group and those around it; inside a container, it may itself be the root. */
  private static long available(Path root, String path, Version version) {
    long available = available(root, version);
    Path group = root;
    for (Path name : Path.of(path.startsWith("/") ? path.substring(1) : path)) {
      group = group.resolve(name);
      available = Math.min(available, available(group, version));
    }
    return available;
  }

  private static long available(Path group, Version version) {
    Long limit = number(group.resolve(version.limit), "");
    Long used = number(group.resolve(version.used), "");
    if (limit == null || used == null) {
      return Long.MAX_VALUE;
    }
    Long cache = number(group.resolve("memory.stat"), version.cache);
    return Math.max(0, limit - used + (cache == null ? 0 : cache));
  }

  /** The number that a line begins with after {@code start}; null where there is none. */
  private static @Nullable Long number(Path file, String start) {
    for (String line : lines(file)) {
      if (line.startsWith(start)) {
        try {
          return Long.valueOf(line.substring(start.length()).strip());
        } catch (NumberFormatException _) {
          return null; // "max"
        }
      }
    }
    return null;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException _) {
      return List.of();
    }
  }
}
