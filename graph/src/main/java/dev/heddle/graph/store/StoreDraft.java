package dev.heddle.graph.store;

import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A store being written, array by array, beside the place where it will be.
 *
 * <p>Until {@link #commit} nothing is there, or what was there before; then all of it is, on disk.
 * A draft that is closed, or whose process dies, before that leaves at most a hidden folder, which
 * the next writer removes.
 */
public final class StoreDraft implements ArrayOwner, AutoCloseable {
  private final Path target;
  private final Path folder;
  private final Path replaced;
  private final WriterLock lock;
  private final SequencedMap<String, ArrayEntry> arrays = new LinkedHashMap<>();
  private final List<Path> scratch = new ArrayList<>();

  /** Arrays are put to disk while the next ones are made. */
  private final ExecutorService disk =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("heddle-store-sync").factory());

  private final List<Future<@Nullable Void>> syncs = new ArrayList<>();
  private final List<FileChannel> owned = new ArrayList<>();
  private List<String> arcTypes = List.of();
  private FeatureSchema features = FeatureSchema.UNNAMED;
  private boolean bothWays;
  private boolean committed;

  private StoreDraft(Path target, WriterLock lock) {
    this.target = target;
    this.folder = hidden(target, "writing");
    this.replaced = hidden(target, "replaced");
    this.lock = lock;
  }

  /**
   * Begins a store at {@code path}.
   *
   * @param overwrite whether a store that is there is replaced; anything else is never
   */
  public static StoreDraft begin(Path path, boolean overwrite) {
    Path target = path.toAbsolutePath().normalize();
    Path parent = target.getParent();
    if (target.getFileName() == null || parent == null) {
      throw new GraphFormatException(path, "not a place for a store");
    }
    if (!Files.isDirectory(parent)) {
      throw new GraphFormatException(parent, "no such folder");
    }
    requireFree(path, overwrite);
    try {
      StoreDraft draft = new StoreDraft(target, WriterLock.acquire(hidden(target, "lock"), path));
      try {
        draft.prepare();
        requireFree(path, overwrite);
      } catch (IOException | RuntimeException | Error e) {
        draft.close();
        throw e;
      }
      return draft;
    } catch (IOException e) {
      throw new GraphFormatException(path, "cannot be written: " + Failures.reason(e), e);
    }
  }

  private static void requireFree(Path path, boolean overwrite) {
    if (!Files.exists(path)) {
      return;
    }
    if (!Store.isStore(path)) {
      throw new GraphFormatException(path, "is there already and not a store");
    }
    if (!overwrite) {
      throw new GraphFormatException(path, "is there already: --overwrite replaces it");
    }
  }

  /** A file beside a store, for whoever writes it. */
  static Path hidden(Path target, String purpose) {
    return target.resolveSibling("." + target.getFileName() + "." + purpose);
  }

  /** Undoes the first half of replacing a store whose writer died before the second. */
  static void putBack(Path path) {
    Path target = path.toAbsolutePath().normalize();
    if (target.getFileName() == null || Files.exists(target)) {
      return;
    }
    Path replaced = hidden(target, "replaced");
    if (!Files.exists(replaced)) {
      return;
    }
    try (WriterLock _ = WriterLock.acquire(hidden(target, "lock"), path)) {
      if (!Files.exists(target) && Files.exists(replaced)) {
        Files.move(replaced, target, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException e) {
      throw new GraphFormatException(
          path, "lies in " + replaced + " and cannot be put back: " + Failures.reason(e), e);
    }
  }

  /** Clears away what a writer left that died. */
  private void prepare() throws IOException {
    delete(folder);
    if (!Files.exists(target) && Files.exists(replaced)) {
      Files.move(replaced, target, StandardCopyOption.ATOMIC_MOVE);
    }
    delete(replaced);
    Files.createDirectory(folder);
  }

  /** Says what the numbers in the types of arcs mean. */
  public void arcTypes(List<String> names) {
    arcTypes = names;
  }

  /** Says what columns of features are called, and what was done to them. */
  public void features(FeatureSchema schema) {
    features = schema;
  }

  /** Says whether every arc was given a reverse. */
  public void bothWays(boolean value) {
    bothWays = value;
  }

  /** An array of one dimension. */
  public ArrayWriter vector(String name, ElementType type) {
    return new ArrayWriter(this, folder.resolve(name), type, 0);
  }

  /** An array of float rows, padded as those of a {@link dev.heddle.kernel.Matrix}. */
  public ArrayWriter matrix(String name, int columns) {
    return new ArrayWriter(this, folder.resolve(name), ElementType.FLOAT32, columns);
  }

  /** A file for what is only needed while the store is made. */
  public Path scratch(String name) {
    Path file = folder.resolve(name + ".scratch");
    scratch.add(file);
    return file;
  }

  /** The arrays finished so far, to be read back. */
  StoreArrays arrays(Memory memory) {
    return new StoreArrays(folder, arrays, memory);
  }

  /** Forgets an array. */
  void remove(String name) {
    arrays.remove(name);
    scratch.add(folder.resolve(name));
  }

  @Override
  public void written(ArrayEntry entry, FileChannel channel) {
    arrays.put(entry.name(), entry);
    owned.add(channel);
    syncs.add(
        disk.submit(() -> {
          try (channel) {
            channel.force(true);
          }
          return null;
        }));
  }

  @Override
  public boolean owns(FileChannel channel) {
    return owned.contains(channel);
  }

  /** Makes the store be there. */
  public void commit(String name, boolean symmetric, @Nullable LabelInfo labels) {
    try {
      for (Path file : scratch) {
        Files.deleteIfExists(file);
      }
      for (Future<@Nullable Void> sync : syncs) {
        await(sync);
      }
      Manifest manifest =
          new Manifest(name, symmetric, labels, arcTypes, features, bothWays || symmetric, arrays);
      writeSynced(folder.resolve(Manifest.FILE), ManifestJson.toBytes(manifest));
      sync(folder);
      if (Files.exists(target)) {
        Files.move(target, replaced, StandardCopyOption.ATOMIC_MOVE);
      }
      Files.move(folder, target, StandardCopyOption.ATOMIC_MOVE);
      committed = true;
      sync(target.resolveSibling(""));
      delete(replaced);
    } catch (IOException e) {
      throw Failures.unwritable(target, e);
    }
  }

  private static void await(Future<@Nullable Void> sync) throws IOException {
    try {
      sync.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Writes a new file and puts it to disk. */
  static void writeSynced(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (ByteBuffer buffer = ByteBuffer.wrap(bytes); buffer.hasRemaining(); ) {
        channel.write(buffer);
      }
      channel.force(true);
    }
  }

  /** Names are only as durable as the folder they are in. Not every system can sync one. */
  static void sync(Path directory) throws IOException {
    if (System.getProperty("os.name", "").startsWith("Windows")) {
      return;
    }
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /** Removes the draft unless it was committed, and lets others write. */
  @Override
  public void close() {
    disk.shutdown();
    try {
      for (Future<@Nullable Void> sync : syncs) {
        if (!committed) {
          awaitQuietly(sync);
        }
      }
      if (!committed) {
        delete(folder);
        if (!Files.exists(target) && Files.exists(replaced)) {
          Files.move(replaced, target, StandardCopyOption.ATOMIC_MOVE);
        }
      }
    } catch (IOException _) {
      // The next writer removes it.
    }
    try {
      lock.close();
    } catch (IOException _) {
      // The system takes back locks of closed files; the file itself is empty.
    }
  }

  private static void awaitQuietly(Future<@Nullable Void> sync) {
    try {
      await(sync);
    } catch (IOException _) {
      // What it belonged to is being thrown away.
    }
  }
}
