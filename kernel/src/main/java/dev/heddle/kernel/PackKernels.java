package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/** Inner loops of {@link PackedRows} over positions {@code from} to {@code to} of its list. */
interface PackKernels {
  /** Copies listed rows next to each other, without padding. */
  void pack(PackedRows p, int from, int to);

  /** Copies packed rows to where the list says. */
  void unpack(PackedRows p, int from, int to);

  /** Adds packed rows to where the list says. */
  void add(PackedRows p, int from, int to);

  /** {@code into += x} for {@code count} floats from byte offsets of each. */
  void addFloats(MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count);
}
