package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * A place in bytes where numbers are written or read one after another: seven bits a byte, the
 * lowest first, the highest bit of a byte saying that more follow.
 */
final class ByteCursor {
  /** The most bytes of a number. */
  static final int MOST = 10;

  private MemorySegment bytes = MemorySegment.NULL;
  private long at;

  ByteCursor on(MemorySegment segment, long from) {
    bytes = segment;
    at = from;
    return this;
  }

  long position() {
    return at;
  }

  void put(long number) {
    long left = number;
    while (left >>> 7 != 0) {
      putByte((int) left | 0x80);
      left >>>= 7;
    }
    putByte((int) left);
  }

  long get() {
    long number = 0;
    for (int shift = 0; ; shift += 7) {
      int next = getByte();
      number |= (next & 0x7FL) << shift;
      if (next < 0x80) {
        return number;
      }
    }
  }

  void putByte(int value) {
    bytes.set(JAVA_BYTE, at++, (byte) value);
  }

  int getByte() {
    return bytes.get(JAVA_BYTE, at++) & 0xFF;
  }

  /** The bytes that {@link #put} takes. */
  static int length(long number) {
    return (70 - Long.numberOfLeadingZeros(number | 1)) / 7;
  }
}
