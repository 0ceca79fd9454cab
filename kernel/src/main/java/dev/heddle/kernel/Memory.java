package dev.heddle.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory that is counted and freed together.
 *
 * <p>All segments are zeroed and aligned to a cache line. Large ones are mapped on huge pages where
 * the system has them, because gathering rows at random otherwise spends its time on address
 * translation. Segments of a closed memory throw when touched.
 */
public final class Memory implements AutoCloseable {
  /** Cache line, and the widest vector register. */
  static final int ALIGNMENT = 64;

  /** Smaller segments are not worth a file. */
  private static final long SCRATCH_BYTES = 1 << 20;

  static {
    // While no segment has ever been on the heap, the JVM compiles kernels on the word that there
    // are none, and drops all of them when the Vector API makes the first, in the middle of an
    // epoch. So there is one before anything is compiled.
    MemorySegment _ = MemorySegment.ofArray(new byte[0]);
  }

  private final Arena arena = Arena.ofShared();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong mappedBytes = new AtomicLong();
  private final long limit;
  private final @Nullable Path scratch;

  /** As much as the system has. */
  public Memory() {
    this(Long.MAX_VALUE, null);
  }

  private Memory(long limit, @Nullable Path scratch) {
    this.limit = limit;
    this.scratch = scratch;
  }

  /**
   * Memory that refuses to hand out more than so many bytes, with a {@link MemoryLimitException}.
   */
  public static Memory limitedTo(long bytes) {
    return new Memory(bytes, null);
  }

  /**
   * Memory whose larger segments lie in nameless files of a folder, where the system may page them
   * out: slower, but not bounded by what the machine has.
   */
  public static Memory inFiles(Path folder) {
    return new Memory(Long.MAX_VALUE, folder);
  }

  /** Memory of its own, freed by itself, that may take what this one has left. */
  public Memory beside() {
    return new Memory(limit == Long.MAX_VALUE ? limit : Math.max(0, limit - bytes.get()), scratch);
  }

  /** Returns {@code size} zeroed bytes at an address that is a multiple of 64. */
  public MemorySegment allocate(long size) {
    // A kernel may always load one whole vector at the end of the last row.
    long padded = (Math.max(size, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    long total = bytes.addAndGet(padded);
    if (total > limit || total < 0) {
      bytes.addAndGet(-padded);
      throw new MemoryLimitException(total, limit);
    }
    return scratch != null && padded >= SCRATCH_BYTES
        ? ScratchFile.map(arena, scratch, padded)
        : HugePages.allocate(arena, padded);
  }

  /**
   * Bytes of a file as they lie there, to be read only. They are paged in when touched and do not
   * count as {@link #bytes}. The file may be closed, but not shortened, while they are in use.
   */
  public MemorySegment map(FileChannel file, long offset, long size) throws IOException {
    MemorySegment mapped = file.map(FileChannel.MapMode.READ_ONLY, offset, size, arena);
    mappedBytes.addAndGet(size);
    return MappedFiles.plain(arena, mapped);
  }

  public MemorySegment allocateInts(long count) {
    return allocate(Math.multiplyExact(count, (long) Integer.BYTES));
  }

  public MemorySegment allocateLongs(long count) {
    return allocate(Math.multiplyExact(count, (long) Long.BYTES));
  }

  public MemorySegment allocateFloats(long count) {
    return allocate(Math.multiplyExact(count, (long) Float.BYTES));
  }

  /** Bytes handed out so far, mapped files aside. */
  public long bytes() {
    return bytes.get();
  }

  /** Bytes of files mapped so far. */
  public long mappedBytes() {
    return mappedBytes.get();
  }

  @Override
  public void close() {
    arena.close();
  }
}
