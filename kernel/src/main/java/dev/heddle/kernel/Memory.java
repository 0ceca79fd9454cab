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

  /** Returns {@code size} zeroed bytes at an address that is a multiple of 64. */
  public MemorySegment allocate(long size) {
    // A kernel may always load one whole vector at the end of the last row.
    long padded = (Math.max(size, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    bytes.addAndGet(padded);
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
