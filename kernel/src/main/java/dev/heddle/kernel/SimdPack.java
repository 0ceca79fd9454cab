package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;

/** Packing by the Vector API: whole vectors, then what is left of a row one by one. */
final class SimdPack implements PackKernels {
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int VECTOR_BYTES = Simd.LANES * Float.BYTES;

  @Override
  public void pack(PackedRows p, int from, int to) {
    Matrix m = p.matrix();
    MemorySegment source = m.data();
    MemorySegment target = p.packed();
    int bytes = m.cols() * Float.BYTES;
    int whole = bytes / VECTOR_BYTES * VECTOR_BYTES;
    long out = p.offset(from);
    for (int i = from; i < to; i++, out += bytes) {
      long in = m.offset(p.row(i));
      for (int b = 0; b < whole; b += VECTOR_BYTES) {
        fromMemorySegment(Simd.FLOATS, source, in + b, LE).intoMemorySegment(target, out + b, LE);
      }
      for (int b = whole; b < bytes; b += Float.BYTES) {
        target.set(JAVA_FLOAT_UNALIGNED, out + b, source.get(JAVA_FLOAT_UNALIGNED, in + b));
      }
    }
  }

  @Override
  public void unpack(PackedRows p, int from, int to) {
    Matrix m = p.matrix();
    MemorySegment source = p.packed();
    MemorySegment target = m.data();
    int bytes = m.cols() * Float.BYTES;
    int whole = bytes / VECTOR_BYTES * VECTOR_BYTES;
    long in = p.offset(from);
    for (int i = from; i < to; i++, in += bytes) {
      long out = m.offset(p.row(i));
      for (int b = 0; b < whole; b += VECTOR_BYTES) {
        fromMemorySegment(Simd.FLOATS, source, in + b, LE).intoMemorySegment(target, out + b, LE);
      }
      for (int b = whole; b < bytes; b += Float.BYTES) {
        target.set(JAVA_FLOAT_UNALIGNED, out + b, source.get(JAVA_FLOAT_UNALIGNED, in + b));
      }
    }
  }

  @Override
  public void add(PackedRows p, int from, int to) {
    Matrix m = p.matrix();
    long in = p.offset(from);
    for (int i = from; i < to; i++, in += (long) m.cols() * Float.BYTES) {
      addFloats(m.data(), m.offset(p.row(i)), p.packed(), in, m.cols());
    }
  }

  @Override
  public void addFloats(
      MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count) {
    long bytes = count * Float.BYTES;
    long at = 0;
    for (; at + VECTOR_BYTES <= bytes; at += VECTOR_BYTES) {
      FloatVector sum =
          fromMemorySegment(Simd.FLOATS, into, intoOffset + at, LE)
              .add(fromMemorySegment(Simd.FLOATS, x, xOffset + at, LE));
      sum.intoMemorySegment(into, intoOffset + at, LE);
    }
    for (; at < bytes; at += Float.BYTES) {
      float sum =
          into.get(JAVA_FLOAT_UNALIGNED, intoOffset + at)
              + x.get(JAVA_FLOAT_UNALIGNED, xOffset + at);
      into.set(JAVA_FLOAT_UNALIGNED, intoOffset + at, sum);
    }
  }
}
