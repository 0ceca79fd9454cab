package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.PackedRows;
import java.lang.foreign.MemorySegment;

/** What an {@link AllReduce} adds up. */
enum SumType {
  FLOATS(Float.BYTES) {
    @Override
    void add(MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count) {
      PackedRows.addFloats(into, intoOffset, x, xOffset, count);
    }
  },
  DOUBLES(Double.BYTES) {
    @Override
    void add(MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count) {
      for (long at = 0; at < count * Double.BYTES; at += Double.BYTES) {
        double sum = into.get(JAVA_DOUBLE, intoOffset + at) + x.get(JAVA_DOUBLE, xOffset + at);
        into.set(JAVA_DOUBLE, intoOffset + at, sum);
      }
    }
  },
  LONGS(Long.BYTES) {
    @Override
    void add(MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count) {
      for (long at = 0; at < count * Long.BYTES; at += Long.BYTES) {
        long sum = into.get(JAVA_LONG, intoOffset + at) + x.get(JAVA_LONG, xOffset + at);
        into.set(JAVA_LONG, intoOffset + at, sum);
      }
    }
  };

  private final int bytes;

  SumType(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of an element. */
  int bytes() {
    return bytes;
  }

  /** {@code into += x} for {@code count} elements, from byte offsets of each. */
  abstract void add(MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count);
}
