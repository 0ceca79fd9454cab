package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/** The reference that {@link SimdUpdate} is tested against, and the fallback without SIMD. */
final class ScalarUpdate implements UpdateKernels {
  @Override
  public void adam(AdamUpdate u, long first, int count) {
    for (long i = first; i < first + count; i++) {
      float p = u.value().getAtIndex(JAVA_FLOAT, i);
      float g = u.grad().getAtIndex(JAVA_FLOAT, i) + u.gradientDecay() * p;
      float m = u.mean().getAtIndex(JAVA_FLOAT, i);
      float v = u.square().getAtIndex(JAVA_FLOAT, i);
      m += u.meanWeight() * (g - m);
      v = u.squareKept() * v + u.squareWeight() * (g * g);
      p = u.valueKept() * p - u.rate() * (m / ((float) Math.sqrt(v) + u.correctedEpsilon()));
      u.mean().setAtIndex(JAVA_FLOAT, i, m);
      u.square().setAtIndex(JAVA_FLOAT, i, v);
      u.value().setAtIndex(JAVA_FLOAT, i, p);
    }
  }

  @Override
  public void sgd(SgdUpdate u, long first, int count) {
    for (long i = first; i < first + count; i++) {
      float p = u.value().getAtIndex(JAVA_FLOAT, i);
      float g = u.grad().getAtIndex(JAVA_FLOAT, i) + u.decay() * p;
      float b = u.momentum() * u.velocity().getAtIndex(JAVA_FLOAT, i) + g;
      p -= u.learningRate() * (u.gradientWeight() * g + u.velocityWeight() * b);
      u.velocity().setAtIndex(JAVA_FLOAT, i, b);
      u.value().setAtIndex(JAVA_FLOAT, i, p);
    }
  }

  @Override
  public void scale(Matrix m, float factor, long first, int count) {
    MemorySegment x = m.data();
    for (long i = first; i < first + count; i++) {
      x.setAtIndex(JAVA_FLOAT, i, factor * x.getAtIndex(JAVA_FLOAT, i));
    }
  }

  @Override
  public void clamp(Matrix m, float limit, long first, int count) {
    MemorySegment x = m.data();
    for (long i = first; i < first + count; i++) {
      float bounded = Math.min(limit, Math.max(-limit, x.getAtIndex(JAVA_FLOAT, i)));
      x.setAtIndex(JAVA_FLOAT, i, bounded);
    }
  }

  @Override
  public void squares(Matrix m, int from, int to, Matrix sums, int row) {
    float sum = 0;
    for (int r = from; r < to; r++) {
      for (int c = 0; c < m.cols(); c++) {
        float x = m.get(r, c);
        sum += x * x;
      }
    }
    sums.set(row, 0, sum);
  }
}
