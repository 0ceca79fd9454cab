package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Memory that is kept from batch to batch and replaced by more when a batch needs it. With the new
 * memory comes a quarter to spare, so that this soon ends.
 */
public final class GrowingBuffer implements AutoCloseable {
  private final Memory beside;
  private Memory memory;
  private MemorySegment segment;

  /** Nothing at first; what is taken counts beside the memory given. */
  public GrowingBuffer(Memory beside) {
    this.beside = beside;
    memory = beside.child();
    segment = memory.allocate(0);
  }

  /** Has at least so many bytes from now on. Returns whether they are others, all zero. */
  public boolean require(long bytes) {
    return require(bytes, 0);
  }

  /** The same; the first bytes are kept. */
  public boolean require(long bytes, long kept) {
    if (bytes <= segment.byteSize()) {
      return false;
    }
    Memory larger = beside.child();
    MemorySegment others = larger.allocate(bytes + bytes / 4);
    MemorySegment.copy(segment, 0, others, 0, kept);
    memory.close();
    memory = larger;
    segment = others;
    return true;
  }

  /** The memory as it is now. */
  public MemorySegment segment() {
    return segment;
  }

  /** Bytes there are now. */
  public long bytes() {
    return memory.bytes();
  }

  @Override
  public void close() {
    memory.close();
  }
}
