package dev.heddle.graph.store;

import dev.heddle.graph.GraphFormatException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets one writer at a time write a store. The system gives the lock back when its holder dies,
 * however it dies.
 *
 * <p>The file is removed with the lock. A writer may have opened it before that and locked it after
 * that, when another file has its name: so the file of that name must be the same before it is
 * opened and after it is locked. It is looked at without being opened, because POSIX releases a
 * process's locks on a file when the process closes it anywhere; for the same reason writers of one
 * process are kept apart by a set.
 */
final class WriterLock implements AutoCloseable {
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private WriterLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Locks a file.
   *
   * @param store what the file stands for
   */
  static WriterLock acquire(Path file, Path store) throws IOException {
    if (!HELD.add(file)) {
      throw inUse(store);
    }
    boolean locked = false;
    try {
      while (true) {
        create(file);
        Object before = identity(file);
        if (before == null) {
          continue;
        }
        // Made again if it was removed just now: then it is not the one from before.
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
          if (channel.tryLock() == null) {
            throw inUse(store);
          }
          if (before.equals(identity(file))) {
            locked = true;
            return new WriterLock(file, channel);
          }
        } finally {
          if (!locked) {
            channel.close();
          }
        }
      }
    } finally {
      if (!locked) {
        HELD.remove(file);
      }
    }
  }

  private static GraphFormatException inUse(Path store) {
    return new GraphFormatException(store, "is being written by another process");
  }

  private static void create(Path file) throws IOException {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException _) {
      // Of a holder that lives or died.
    }
  }

  /** What tells a file from another one of the same name; null if there is none now. */
  private static @Nullable Object identity(Path file) throws IOException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      // Where the system has no such thing it also does not remove open files.
      return attributes.fileKey() == null ? file : attributes.fileKey();
    } catch (NoSuchFileException _) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      Files.deleteIfExists(file);
    } finally {
      HELD.remove(file);
    }
  }
}
