package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** The reference that {@link SimdGather} is tested against, and the fallback without SIMD. */
final class ScalarGather implements GatherKernels {
  @Override
  public void sum(SumGather g, int from, int to, Matrix out, int outRow) {
    Csr arcs = g.arcs();
    for (int row = from; row < to; row++) {
      long first = arcs.offset(row);
      long end = arcs.offset(row + 1);
      float scale = g.rowScale(row);
      int target = outRow + row - from;
      for (int c = 0; c < out.cols(); c++) {
        float sum = scale * column(g, first, end, c);
        out.set(target, c, g.accumulate() ? out.get(target, c) + sum : sum);
      }
    }
  }

  @Override
  public void sumArcs(SumGather g, long from, long to, long partialOffset) {
    for (int c = 0; c < g.out().cols(); c++) {
      float sum = column(g, from, to, c);
      g.partials().data().set(JAVA_FLOAT, partialOffset + 4L * c, sum);
    }
  }

  @Override
  public void addArcs(SumGather g, long from, long to, MemorySegment sums, long offset) {
    Csr arcs = g.arcs();
    MemorySegment x = g.x();
    for (int c = 0; c < g.out().cols(); c++) {
      float sum = sums.get(JAVA_FLOAT, offset + 4L * c);
      for (long arc = from; arc < to; arc++) {
        int source = arcs.id(arc);
        long at = source * g.sourceStride() + 4L * c;
        sum += g.coefficients().at(arc, source) * x.get(JAVA_FLOAT, at);
      }
      sums.set(JAVA_FLOAT, offset + 4L * c, sum);
    }
  }

  @Override
  public void finish(SumGather g, int row, MemorySegment sums, long offset) {
    Matrix out = g.out();
    float scale = g.rowScale(row);
    for (int c = 0; c < out.cols(); c++) {
      float sum = scale * sums.get(JAVA_FLOAT, offset + 4L * c);
      out.set(row, c, g.accumulate() ? out.get(row, c) + sum : sum);
    }
  }

  private static float column(SumGather g, long first, long end, int c) {
    Csr arcs = g.arcs();
    MemorySegment x = g.x();
    long place = g.half() ? HalfMatrix.place(c) : (long) Float.BYTES * c;
    float sum = 0;
    for (long arc = first; arc < end; arc++) {
      int source = arcs.id(arc);
      long at = source * g.sourceStride() + place;
      float value = g.half() ? HalfMatrix.widen(x.get(JAVA_SHORT, at)) : x.get(JAVA_FLOAT, at);
      sum += g.coefficients().at(arc, source) * value;
    }
    return sum;
  }
}
