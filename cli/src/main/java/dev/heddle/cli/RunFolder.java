package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * What a run leaves behind: {@code run.yaml}, {@code environment.json}, {@code metrics.jsonl},
 * {@code summary.json}, {@code model.safetensors} and {@code checkpoints/}; {@code partition-4.txt}
 * where four workers trained. One process at a time writes into it.
 */
final class RunFolder implements AutoCloseable {
  static final String CONFIG = "run.yaml";
  static final String MODEL = "model.safetensors";

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final Path path;
  private final FileChannel lock;

  private RunFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /** {@code runs/<time>-<name>}, or with a number if there is one already. */
  static Path named(String name) {
    String time = LocalDateTime.now(ZoneId.systemDefault()).format(TIME);
    Path path = Path.of("runs", time + "-" + name);
    for (int i = 2; Files.exists(path); i++) {
      path = Path.of("runs", time + "-" + name + "-" + i);
    }
    return path;
  }

  /** A folder for a new run. */
  static RunFolder create(Path path) {
    if (Files.exists(path.resolve(CONFIG))) {
      throw new InputException(
          path + ": holds a run already; go on with --resume " + path + ", or take another --out");
    }
    return open(path);
  }

  /** The folder of a run that goes on. */
  static RunFolder open(Path path) {
    try {
      Files.createDirectories(path);
      FileChannel channel =
          FileChannel.open(
              path.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        FileLock held = channel.tryLock();
        if (held != null) {
          return new RunFolder(path, channel);
        }
      } catch (OverlappingFileLockException _) {
        // Held in this process: told below.
      }
      channel.close();
    } catch (IOException e) {
      throw new InputException(path + ": cannot be written (" + reason(e) + ")", e);
    }
    throw new InputException(path + ": is in use by another process");
  }

  private static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "there is a file of that name";
      default -> String.valueOf(e.getMessage());
    };
  }

  Path model() {
    return path.resolve(MODEL);
  }

  static Path checkpoints(Path path) {
    return path.resolve("checkpoints");
  }

  /** Which of so many workers has each vertex. */
  static Path partition(Path path, int parts) {
    return path.resolve("partition-" + parts + ".txt");
  }

  static Path metrics(Path path) {
    return path.resolve("metrics.jsonl");
  }

  /** Keeps a partition, which runs that go on take. */
  void write(Partition partition, Graph graph) {
    PartitionFile.write(partition, graph, partition(path, partition.parts()));
  }

  /** Writes a small file whole or not at all. */
  void write(String name, String text) {
    try {
      Path temporary = path.resolve(name + ".tmp");
      Files.writeString(temporary, text);
      Files.move(temporary, path.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new InputException(path.resolve(name) + ": cannot be written (" + reason(e) + ")", e);
    }
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
