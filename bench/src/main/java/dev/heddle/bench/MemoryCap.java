package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A limit on the memory of processes together, page cache included: a control group of Linux, which
 * needs root.
 */
final class MemoryCap implements AutoCloseable {
  private static final Path V1 = Path.of("/sys/fs/cgroup/memory");
  private static final Path V2 = Path.of("/sys/fs/cgroup");

  private final Path folder;
  private final boolean unified;

  private MemoryCap(Path folder, boolean unified) {
    this.folder = folder;
    this.unified = unified;
  }

  /** A group without a limit yet; throws where there can be none. */
  static MemoryCap create() throws IOException {
    boolean unified = Files.exists(V2.resolve("cgroup.controllers"));
    Path folder = (unified ? V2 : V1).resolve("heddle-" + ProcessHandle.current().pid());
    try {
      return new MemoryCap(Files.createDirectory(folder), unified);
    } catch (IOException e) {
      throw new IOException("memory of processes cannot be limited, which needs root: " + e, e);
    }
  }

  void limit(long bytes) throws IOException {
    Files.writeString(folder.resolve(unified ? "memory.max" : "memory.limit_in_bytes"), "" + bytes);
  }

  /** The most that was used so far. */
  long peak() throws IOException {
    Path file = folder.resolve(unified ? "memory.peak" : "memory.max_usage_in_bytes");
    return Long.parseLong(Files.readString(file).strip());
  }

  /** What a command that is to be limited begins with. */
  List<String> prefix() {
    String processes = folder.resolve("cgroup.procs").toString();
    return List.of("bash", "-c", "echo $$ > \"$0\" && exec \"$@\"", processes);
  }

  @Override
  public void close() throws IOException {
    Files.delete(folder);
  }
}
