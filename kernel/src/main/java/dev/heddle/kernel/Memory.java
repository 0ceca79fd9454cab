package dev.heddle.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

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

  private final Arena arena = Arena.ofShared();
  private final AtomicLong bytes = new AtomicLong();
  private final long limit;

  /** As much as the system has. */
  public Memory() {
    this(Long.MAX_VALUE);
  }

  private Memory(long limit) {
    this.limit = limit;
  }

  /**
   * Memory that refuses to hand out more than so many bytes, with a {@link MemoryLimitException}.
   */
  public static Memory limitedTo(long bytes) {
    return new Memory(bytes);
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
    return HugePages.allocate(arena, padded);
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

  /** Bytes handed out so far. */
  public long bytes() {
    return bytes.get();
  }

  @Override
  public void close() {
    arena.close();
  }
}
