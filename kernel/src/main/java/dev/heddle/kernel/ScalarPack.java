package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The reference that {@link SimdPack} is tested against, and the fallback without SIMD. */
final class ScalarPack implements PackKernels {
  @Override
  public void pack(PackedRows p, int from, int to) {
    Matrix m = p.matrix();
    long at = p.offset(from);
    for (int i = from; i < to; i++) {
      int row = p.row(i);
      for (int c = 0; c < m.cols(); c++, at += Float.BYTES) {
        p.packed().set(JAVA_FLOAT, at, m.get(row, c));
      }
    }
  }

  @Override
  public void unpack(PackedRows p, int from, int to) {
    Matrix m = p.matrix();
    long at = p.offset(from);
    for (int i = from; i < to; i++) {
      int row = p.row(i);
      for (int c = 0; c < m.cols(); c++, at += Float.BYTES) {
        m.set(row, c, p.packed().get(JAVA_FLOAT, at));
      }
    }
  }

  @Override
  public void add(PackedRows p, int from, int to) {
    Matrix m = p.matrix();
    long at = p.offset(from);
    for (int i = from; i < to; i++) {
      int row = p.row(i);
      for (int c = 0; c < m.cols(); c++, at += Float.BYTES) {
        m.set(row, c, m.get(row, c) + p.packed().get(JAVA_FLOAT, at));
      }
    }
  }

  @Override
  public void addFloats(
      MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count) {
    for (long i = 0; i < count; i++) {
      long at = i * Float.BYTES;
      float sum =
          into.get(JAVA_FLOAT_UNALIGNED, intoOffset + at)
              + x.get(JAVA_FLOAT_UNALIGNED, xOffset + at);
      into.set(JAVA_FLOAT_UNALIGNED, intoOffset + at, sum);
    }
  }
}
