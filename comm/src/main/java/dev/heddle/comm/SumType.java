package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.PackedHalves;
import dev.heddle.kernel.PackedRows;
import java.lang.foreign.MemorySegment;

/** What an {@link AllReduce} adds up. */
enum SumType {
  FLOATS(Float.BYTES) {
    @Override
    void sum(MemorySegment slices, int count, long bytes) {
      for (int slice = 1; slice < count; slice++) {
        PackedRows.addFloats(slices, 0, slices, slice * bytes, bytes / Float.BYTES);
      }
    }
  },

  /** Floats as bfloat16, added up as floats and rounded once. */
  HALVES(Short.BYTES) {
    @Override
    void sum(MemorySegment slices, int count, long bytes) {
      PackedHalves.sum(slices, count, bytes);
    }
  },
  DOUBLES(Double.BYTES) {
    @Override
    void sum(MemorySegment slices, int count, long bytes) {
      for (long at = 0; at < bytes; at += Double.BYTES) {
        double sum = slices.get(JAVA_DOUBLE, at);
        for (int slice = 1; slice < count; slice++) {
          sum += slices.get(JAVA_DOUBLE, slice * bytes + at);
        }
        slices.set(JAVA_DOUBLE, at, sum);
      }
    }
  },
  LONGS(Long.BYTES) {
    @Override
    void sum(MemorySegment slices, int count, long bytes) {
      for (long at = 0; at < bytes; at += Long.BYTES) {
        long sum = slices.get(JAVA_LONG, at);
        for (int slice = 1; slice < count; slice++) {
          sum += slices.get(JAVA_LONG, slice * bytes + at);
        }
        slices.set(JAVA_LONG, at, sum);
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

  /** Adds up slices of so many bytes that follow one another, in order, in the first's place. */
  abstract void sum(MemorySegment slices, int count, long bytes);
}
