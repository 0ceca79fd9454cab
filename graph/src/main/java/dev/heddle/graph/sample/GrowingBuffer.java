package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * A segment that is kept from batch to batch and replaced by a larger one when a batch needs it.
 * The new one has a quarter to spare, so that this soon ends.
 */
public final class GrowingBuffer {
  private final Memory parent;
  private Memory memory;
  private MemorySegment segment;

  /** An empty buffer, whose segments lie in children of {@code parent} and are freed with it. */
  public GrowingBuffer(Memory parent) {
    this.parent = parent;
    memory = parent.child();
    segment = memory.allocate(0);
  }

  /** Sees to a capacity of so many bytes. Returns whether the segment is another one, all zero. */
  public boolean require(long bytes) {
    return require(bytes, 0);
  }

  /**
   * Sees to a capacity of so many bytes. Returns whether the segment is another one.
   *
   * @param kept how many of the first bytes are copied into it
   */
  public boolean require(long bytes, long kept) {
    if (bytes <= segment.byteSize()) {
      return false;
    }
    Memory larger = parent.child();
    MemorySegment others = larger.allocate(bytes + bytes / 4);
    MemorySegment.copy(segment, 0, others, 0, kept);
    memory.close();
    memory = larger;
    segment = others;
    return true;
  }

  /** The segment as it is now. */
  public MemorySegment segment() {
    return segment;
  }

  /** The capacity. */
  public long bytes() {
    return memory.bytes();
  }
}
