package dev.heddle.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory that is counted and freed together: a node of a tree with one budget.
 *
 * <p>What a child takes counts in its parent too, so that the limit of a root bounds all that is
 * taken below it. Closing a memory frees its segments and closes its children.
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
  private final @Nullable Memory parent;
  private final Set<Memory> children = ConcurrentHashMap.newKeySet();
  private final AtomicLong own = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong peakBytes = new AtomicLong();
  private final AtomicLong allocations = new AtomicLong();
  private final AtomicLong mappedBytes = new AtomicLong();
  private final long limit;
  private final @Nullable Path scratch;

  /** A root without a limit: as much as the system has. */
  public Memory() {
    this(null, Long.MAX_VALUE, null);
  }

  private Memory(@Nullable Memory parent, long limit, @Nullable Path scratch) {
    this.parent = parent;
    this.limit = limit;
    this.scratch = scratch;
  }

  /**
   * A root that refuses to hand out more than so many bytes, its children's included, with a {@link
   * MemoryLimitException}.
   */
  public static Memory limitedTo(long bytes) {
    return new Memory(null, bytes, null);
  }

  /** A root whose larger segments lie in files, see {@link #childInFiles}. */
  public static Memory inFiles(Path folder) {
    return new Memory(null, Long.MAX_VALUE, folder);
  }

  /** A child that is freed by itself, or with this memory; what it takes counts here too. */
  public Memory child() {
    return child(Long.MAX_VALUE, scratch);
  }

  /** A child with a limit of its own, besides that of this memory. */
  public Memory childLimitedTo(long most) {
    return child(most, scratch);
  }

  /**
   * A child whose larger segments lie in nameless files of a folder, where the system may page them
   * out: slower, but not bounded by what the machine has. They count as {@link #mappedBytes}.
   */
  public Memory childInFiles(Path folder) {
    return child(Long.MAX_VALUE, folder);
  }

  private Memory child(long most, @Nullable Path files) {
    Memory child = new Memory(this, most, files);
    children.add(child);
    return child;
  }

  /** A child of this memory's parent, or a root with what this one has left. */
  public Memory sibling() {
    return parent == null ? new Memory(null, available(), scratch) : parent.child(limit, scratch);
  }

  /** Returns {@code size} zeroed bytes at an address that is a multiple of 64. */
  public MemorySegment allocate(long size) {
    if (size > Long.MAX_VALUE - ALIGNMENT) {
      throw new MemoryLimitException(size, limit);
    }
    long padded = padded(size);
    for (Memory m = this; m != null; m = m.parent) {
      m.allocations.incrementAndGet();
    }
    if (scratch != null && padded >= SCRATCH_BYTES) {
      mappedBytes.addAndGet(padded);
      return ScratchFile.map(arena, scratch, padded);
    }
    take(padded);
    own.addAndGet(padded);
    return HugePages.allocate(arena, padded);
  }

  /** Bytes that {@link #allocate} takes for so many. */
  public static long padded(long size) {
    // A kernel may always load one whole vector at the end of the last row.
    return (Math.max(size, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /** Counts bytes here and in all parents, or nowhere if one of them refuses. */
  private void take(long count) {
    long total = bytes.addAndGet(count);
    if (total > limit || total < 0) {
      bytes.addAndGet(-count);
      throw new MemoryLimitException(total, limit);
    }
    if (parent != null) {
      try {
        parent.take(count);
      } catch (MemoryLimitException e) {
        bytes.addAndGet(-count);
        throw e;
      }
    }
    peakBytes.accumulateAndGet(total, Math::max);
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

  /** Bytes in use now, those of children included, mapped files aside. */
  public long bytes() {
    return bytes.get();
  }

  /** The most that {@link #bytes} has been. */
  public long peakBytes() {
    return peakBytes.get();
  }

  /** Bytes that can still be taken before this memory, or one above it, refuses. */
  public long available() {
    long own = limit == Long.MAX_VALUE ? limit : Math.max(0, limit - bytes.get());
    return parent == null ? own : Math.min(own, parent.available());
  }

  /**
   * How many segments have been handed out here and by children. While this number stays, whatever
   * lies in this memory lies where it was: kernels that know its addresses can go on.
   */
  public long allocations() {
    return allocations.get();
  }

  /** Bytes of files mapped so far, by this memory alone. */
  public long mappedBytes() {
    return mappedBytes.get();
  }

  @Override
  public void close() {
    if (!arena.scope().isAlive()) {
      return;
    }
    children.forEach(Memory::close);
    arena.close();
    if (parent != null) {
      parent.children.remove(this);
      for (Memory m = parent; m != null; m = m.parent) {
        m.bytes.addAndGet(-own.get());
      }
    }
    bytes.addAndGet(-own.get());
  }
}
