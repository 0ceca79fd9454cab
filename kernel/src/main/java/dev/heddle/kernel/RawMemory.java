package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * All memory as one segment, for inner loops that check their operands before they start.
 *
 * <p>A load from it at an offset that the compiler knows to be positive is one instruction. What it
 * knows are ranges: of an address and a stride masked by the constants here, and of an index that
 * was checked, so that {@code address + index · stride} cannot overflow. Nothing notices when the
 * memory is closed meanwhile, as in native code: whoever starts a loop must see to that.
 */
final class RawMemory {
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** Any address of a process has these bits at most. */
  static final long ADDRESS = (1L << 57) - 1;

  /** Any number of bytes from one row to the next. */
  static final long STRIDE = Integer.MAX_VALUE;

  private RawMemory() {}

  /** Refuses memory that was given back, or that has no address. */
  static void require(MemorySegment memory) {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("the memory of an operand is closed");
    }
    if (!memory.isNative()) {
      throw new IllegalArgumentException("an operand lies on the heap");
    }
  }
}
