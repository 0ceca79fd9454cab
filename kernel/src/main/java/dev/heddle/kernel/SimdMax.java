package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Aggregation by maximum with the Vector API: a row's columns in tiles of four vectors and one,
 * each tile walking the arcs with maxima and winners in registers.
 */
final class SimdMax implements MaxKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  @Override
  public void max(MaxGather g, int from, int to) {
    Csr arcs = g.in();
    Matrix out = g.to();
    int vectors = Simd.vectors(out.cols());
    long stride = (long) g.from().stride() * Float.BYTES;
    for (int row = from; row < to; row++) {
      long idAt = arcs.offset(row) * Integer.BYTES;
      int n = (int) arcs.degree(row);
      long outAt = out.offset(row);
      int c = 0;
      if (n == 0) {
        for (; c < vectors; c++) {
          FloatVector.zero(F).intoMemorySegment(out.data(), outAt + c * V, LE);
          IntVector.broadcast(I, -1).intoMemorySegment(g.winners(), outAt + c * V, LE);
        }
      }
      for (; c + 4 <= vectors; c += 4) {
        max4(g.from().data(), arcs.ids(), stride, idAt, n, c * V, out.data(), g.winners(), outAt);
      }
      for (; c < vectors; c++) {
        max1(g.from().data(), arcs.ids(), stride, idAt, n, c * V, out.data(), g.winners(), outAt);
      }
    }
  }

  private static void max4(
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      long column,
      MemorySegment out,
      MemorySegment winners,
      long outAt) {
    int id = ids.get(JAVA_INT, idAt);
    long at = id * stride + column;
    FloatVector m0 = FloatVector.fromMemorySegment(F, x, at, LE);
    FloatVector m1 = FloatVector.fromMemorySegment(F, x, at + V, LE);
    FloatVector m2 = FloatVector.fromMemorySegment(F, x, at + 2 * V, LE);
    FloatVector m3 = FloatVector.fromMemorySegment(F, x, at + 3 * V, LE);
    IntVector w0 = IntVector.broadcast(I, id);
    IntVector w1 = w0;
    IntVector w2 = w0;
    IntVector w3 = w0;
    for (int i = 1; i < n; i++) {
      id = ids.get(JAVA_INT, idAt + 4L * i);
      at = id * stride + column;
      FloatVector x0 = FloatVector.fromMemorySegment(F, x, at, LE);
      FloatVector x1 = FloatVector.fromMemorySegment(F, x, at + V, LE);
      FloatVector x2 = FloatVector.fromMemorySegment(F, x, at + 2 * V, LE);
      FloatVector x3 = FloatVector.fromMemorySegment(F, x, at + 3 * V, LE);
      VectorMask<Float> g0 = x0.compare(VectorOperators.GT, m0);
      VectorMask<Float> g1 = x1.compare(VectorOperators.GT, m1);
      VectorMask<Float> g2 = x2.compare(VectorOperators.GT, m2);
      VectorMask<Float> g3 = x3.compare(VectorOperators.GT, m3);
      m0 = m0.blend(x0, g0);
      m1 = m1.blend(x1, g1);
      m2 = m2.blend(x2, g2);
      m3 = m3.blend(x3, g3);
      w0 = w0.blend(id, g0.cast(I));
      w1 = w1.blend(id, g1.cast(I));
      w2 = w2.blend(id, g2.cast(I));
      w3 = w3.blend(id, g3.cast(I));
    }
    long to = outAt + column;
    m0.intoMemorySegment(out, to, LE);
    m1.intoMemorySegment(out, to + V, LE);
    m2.intoMemorySegment(out, to + 2 * V, LE);
    m3.intoMemorySegment(out, to + 3 * V, LE);
    w0.intoMemorySegment(winners, to, LE);
    w1.intoMemorySegment(winners, to + V, LE);
    w2.intoMemorySegment(winners, to + 2 * V, LE);
    w3.intoMemorySegment(winners, to + 3 * V, LE);
  }

  private static void max1(
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      long column,
      MemorySegment out,
      MemorySegment winners,
      long outAt) {
    int id = ids.get(JAVA_INT, idAt);
    FloatVector m0 = FloatVector.fromMemorySegment(F, x, id * stride + column, LE);
    IntVector w0 = IntVector.broadcast(I, id);
    for (int i = 1; i < n; i++) {
      id = ids.get(JAVA_INT, idAt + 4L * i);
      FloatVector x0 = FloatVector.fromMemorySegment(F, x, id * stride + column, LE);
      VectorMask<Float> g0 = x0.compare(VectorOperators.GT, m0);
      m0 = m0.blend(x0, g0);
      w0 = w0.blend(id, g0.cast(I));
    }
    m0.intoMemorySegment(out, outAt + column, LE);
    w0.intoMemorySegment(winners, outAt + column, LE);
  }

  @Override
  public void gradient(MaxGather g, int from, int to) {
    Csr arcs = g.out();
    MemorySegment out = g.to().data();
    int vectors = Simd.vectors(g.to().cols());
    for (int row = from; row < to; row++) {
      long idAt = arcs.offset(row) * Integer.BYTES;
      int n = (int) arcs.degree(row);
      if (!g.add()) {
        // By plain stores: as one vector more in a method this large it would become an object.
        long end = g.to().offset(row) + vectors * V;
        for (long at = g.to().offset(row); at < end; at += Long.BYTES) {
          out.set(JAVA_LONG, at, 0);
        }
      }
      int v = 0;
      for (; v + 4 <= vectors; v += 4) {
        gradient4(g, idAt, n, row, v * V);
      }
      for (; v < vectors; v++) {
        gradient1(g, idAt, n, row, v * V);
      }
    }
  }

  private static void gradient4(MaxGather g, long idAt, int n, int row, long column) {
    MemorySegment ids = g.out().ids();
    MemorySegment x = g.from().data();
    MemorySegment winners = g.winners();
    long stride = (long) g.from().stride() * Float.BYTES;
    MemorySegment out = g.to().data();
    long to = g.to().offset(row) + column;
    FloatVector a0 = FloatVector.fromMemorySegment(F, out, to, LE);
    FloatVector a1 = FloatVector.fromMemorySegment(F, out, to + V, LE);
    FloatVector a2 = FloatVector.fromMemorySegment(F, out, to + 2 * V, LE);
    FloatVector a3 = FloatVector.fromMemorySegment(F, out, to + 3 * V, LE);
    int previous = -1;
    for (int i = 0; i < n; i++) {
      int id = ids.get(JAVA_INT, idAt + 4L * i);
      if (id != previous) {
        long at = id * stride + column;
        IntVector w0 = IntVector.fromMemorySegment(I, winners, at, LE);
        IntVector w1 = IntVector.fromMemorySegment(I, winners, at + V, LE);
        IntVector w2 = IntVector.fromMemorySegment(I, winners, at + 2 * V, LE);
        IntVector w3 = IntVector.fromMemorySegment(I, winners, at + 3 * V, LE);
        FloatVector x0 = FloatVector.fromMemorySegment(F, x, at, LE);
        FloatVector x1 = FloatVector.fromMemorySegment(F, x, at + V, LE);
        FloatVector x2 = FloatVector.fromMemorySegment(F, x, at + 2 * V, LE);
        FloatVector x3 = FloatVector.fromMemorySegment(F, x, at + 3 * V, LE);
        a0 = a0.add(x0, w0.compare(VectorOperators.EQ, row).cast(F));
        a1 = a1.add(x1, w1.compare(VectorOperators.EQ, row).cast(F));
        a2 = a2.add(x2, w2.compare(VectorOperators.EQ, row).cast(F));
        a3 = a3.add(x3, w3.compare(VectorOperators.EQ, row).cast(F));
      }
      previous = id;
    }
    a0.intoMemorySegment(out, to, LE);
    a1.intoMemorySegment(out, to + V, LE);
    a2.intoMemorySegment(out, to + 2 * V, LE);
    a3.intoMemorySegment(out, to + 3 * V, LE);
  }

  private static void gradient1(MaxGather g, long idAt, int n, int row, long column) {
    MemorySegment ids = g.out().ids();
    long stride = (long) g.from().stride() * Float.BYTES;
    long to = g.to().offset(row) + column;
    FloatVector a0 = FloatVector.fromMemorySegment(F, g.to().data(), to, LE);
    int previous = -1;
    for (int i = 0; i < n; i++) {
      int id = ids.get(JAVA_INT, idAt + 4L * i);
      if (id != previous) {
        long at = id * stride + column;
        IntVector winner = IntVector.fromMemorySegment(I, g.winners(), at, LE);
        a0 =
            a0.add(
                FloatVector.fromMemorySegment(F, g.from().data(), at, LE),
                winner.compare(VectorOperators.EQ, row).cast(F));
      }
      previous = id;
    }
    a0.intoMemorySegment(g.to().data(), to, LE);
  }
}
