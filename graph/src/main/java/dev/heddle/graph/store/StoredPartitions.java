package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a store, one for each number of parts.
 *
 * <p>A partition is added to a store that is there: its array is written aside; the manifest is
 * replaced by one without the old partition of that number, the array takes its place, and then the
 * manifest is replaced by one that lists it. Whoever dies in between leaves a store that is whole,
 * at most without that partition.
 */
public final class StoredPartitions {
  private final Path folder;

  private StoredPartitions(Path folder) {
    this.folder = folder;
  }

  /** Those of the store in a folder. */
  public static StoredPartitions of(Path folder) {
    return new StoredPartitions(folder);
  }

  /** The numbers of parts that there are partitions for, ascending. */
  public Iterable<Integer> parts() {
    TreeSet<Integer> parts = new TreeSet<>();
    for (String name : Store.open(folder).manifest().arrays().keySet()) {
      if (name.startsWith(Names.PARTITION)) {
        parts.add(number(name));
      }
    }
    return parts;
  }

  /** The partition into so many parts; null if there is none. */
  public @Nullable Partition read(int parts) {
    Manifest manifest = Store.open(folder).manifest();
    String name = Names.PARTITION + parts;
    if (!manifest.has(name)) {
      return null;
    }
    int[] partOf = new int[(int) manifest.vertices()];
    try (Memory memory = new Memory()) {
      MemorySegment values = new StoreArrays(folder, manifest.arrays(), memory).vector(name);
      MemorySegment.copy(values, JAVA_INT, 0, partOf, 0, partOf.length);
    }
    try {
      return Partition.of(parts, partOf);
    } catch (IllegalArgumentException e) {
      throw new GraphFormatException(folder.resolve(name), String.valueOf(e.getMessage()), e);
    }
  }

  /** Adds a partition, in place of one into as many parts. */
  public void write(Partition partition) {
    Path target = folder.toAbsolutePath().normalize();
    try (WriterLock _ = WriterLock.acquire(StoreDraft.hidden(target, "lock"), folder)) {
      Manifest manifest = Store.open(folder).manifest();
      if (manifest.vertices() != partition.vertices()) {
        throw new IllegalArgumentException(
            partition + " does not fit a store of " + manifest.vertices() + " vertices");
      }
      String name = Names.PARTITION + partition.parts();
      Path aside = folder.resolve("." + name + ".writing");
      Files.deleteIfExists(aside);
      ArrayEntry entry = array(partition, aside);
      SequencedMap<String, ArrayEntry> arrays = new LinkedHashMap<>(manifest.arrays());
      if (arrays.remove(name) != null) {
        replace(manifest, arrays);
      }
      Files.move(
          aside,
          folder.resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      arrays.put(name, new ArrayEntry(name, entry.shape(), entry.checksum()));
      replace(manifest, arrays);
    } catch (IOException e) {
      throw Failures.unwritable(folder, e);
    }
  }

  private static ArrayEntry array(Partition partition, Path file) {
    Synced owner = new Synced(file);
    try (ArrayWriter writer = new ArrayWriter(owner, file, ElementType.INT32, 0)) {
      for (int v = 0; v < partition.vertices(); v++) {
        writer.writeInt(partition.partOf(v));
      }
      writer.finish();
    }
    return owner.entry();
  }

  private void replace(Manifest manifest, SequencedMap<String, ArrayEntry> arrays)
      throws IOException {
    Manifest next = manifest.withArrays(arrays);
    Path aside = folder.resolve("." + Manifest.FILE + ".writing");
    Files.deleteIfExists(aside);
    StoreDraft.writeSynced(aside, ManifestJson.toBytes(next));
    StoreDraft.sync(folder);
    Files.move(
        aside,
        folder.resolve(Manifest.FILE),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    StoreDraft.sync(folder);
  }

  /** The number of parts that an array's name tells; 0 where it tells none. */
  static int number(String name) {
    String digits = name.substring(Names.PARTITION.length());
    return digits.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(digits) : 0;
  }

  /** Puts one array to disk. */
  private static final class Synced implements ArrayOwner {
    private final Path file;
    private @Nullable ArrayEntry entry;

    Synced(Path file) {
      this.file = file;
    }

    @Override
    public void written(ArrayEntry written, FileChannel channel) {
      entry = written;
      try (channel) {
        channel.force(true);
      } catch (IOException e) {
        throw Failures.unwritable(file, e);
      }
    }

    @Override
    public boolean owns(FileChannel channel) {
      return entry != null;
    }

    ArrayEntry entry() {
      if (entry == null) {
        throw new IllegalStateException("not finished");
      }
      return entry;
    }
  }
}
