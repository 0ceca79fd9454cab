package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/** The reference that {@link SimdAttention} is tested against, and the fallback without SIMD. */
final class ScalarAttention implements AttentionKernels {
  @Override
  public void headDots(HeadDots d, int from, int to) {
    Heads heads = d.heads();
    for (int row = from; row < to; row++) {
      for (int h = 0; h < heads.count(); h++) {
        float dot = dot(heads, h, d.a(), row, d.b(), d.rowOfB(row));
        set(d.out().data(), d.out().offset(row) + d.column(), h, dot);
      }
    }
  }

  @Override
  public void scores(AttentionPass p, int row, long first, int n, long at) {
    for (int i = 0; i < n; i++) {
      int id = p.arcs().id(first + i);
      long scores = ofArc(p, at + p.buffers().scores(), i);
      for (int h = 0; h < p.heads().count(); h++) {
        set(p.scratch(), scores, h, score(p, row, id, h));
      }
    }
  }

  private static float score(AttentionPass p, int row, int id, int h) {
    if (!p.projected()) {
      return leaky(p, sum(p, row, id, h));
    }
    int width = p.heads().width();
    float score = 0;
    for (int c = h * width; c < (h + 1) * width; c++) {
      score += p.vector().get(0, c) * leaky(p, sum(p, row, id, c));
    }
    return score;
  }

  private static float sum(AttentionPass p, int row, int id, int column) {
    return p.scoreNear().get(row, column) + p.scoreFar().get(id, column);
  }

  private static float leaky(AttentionPass p, float z) {
    return z > 0 ? z : p.slope() * z;
  }

  @Override
  public void softmax(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    MemorySegment scratch = p.scratch();
    long state = b.state().offset(row);
    boolean fresh = p.starts(row, first);
    long rowDraw = p.dropping() ? p.rowDraw(row) : 0;
    for (int h = 0; h < p.heads().count(); h++) {
      float before = fresh ? Float.NEGATIVE_INFINITY : get(p.state(), state + b.max(), h);
      float max = before;
      for (int i = 0; i < n; i++) {
        float score = get(scratch, ofArc(p, at + b.scores(), i), h);
        max = score > max ? score : max;
      }
      float sum = 0;
      if (!fresh) {
        float shrink = Exp.of(before - max);
        sum = shrink * get(p.state(), state + b.inverse(), h);
        scaleTarget(p, row, h, shrink);
      }
      for (int i = 0; i < n; i++) {
        float weight = Exp.of(get(scratch, ofArc(p, at + b.scores(), i), h) - max);
        sum += weight;
        if (p.dropping()) {
          int draw = p.arcDraw(rowDraw, row, p.arcs().id(first + i));
          weight *= p.dropout().factor(draw, h);
        }
        set(scratch, ofArc(p, at + b.weights(), i), h, weight);
      }
      set(p.state(), state + b.max(), h, max);
      set(p.state(), state + b.inverse(), h, sum);
    }
  }

  @Override
  public void weightedSum(AttentionPass p, int row, long first, int n, long at) {
    boolean add = p.adds(row, first);
    int width = p.heads().width();
    for (int c = 0; c < p.heads().columns(); c++) {
      float sum = add ? p.target().get(row, c) : 0;
      for (int i = 0; i < n; i++) {
        float weight = get(p.scratch(), ofArc(p, at + p.buffers().weights(), i), c / width);
        sum += weight * p.far().get(p.arcs().id(first + i), c);
      }
      p.target().set(row, c, sum);
    }
  }

  @Override
  public void normalise(AttentionPass p, int row) {
    long inverses = p.buffers().state().offset(row) + p.buffers().inverse();
    for (int h = 0; h < p.heads().count(); h++) {
      float inverse = 1 / get(p.state(), inverses, h);
      set(p.state(), inverses, h, inverse);
      scaleTarget(p, row, h, inverse);
    }
  }

  private static void scaleTarget(AttentionPass p, int row, int h, float factor) {
    int width = p.heads().width();
    for (int c = h * width; c < (h + 1) * width; c++) {
      p.target().set(row, c, factor * p.target().get(row, c));
    }
  }

  @Override
  public void dots(AttentionPass p, int row, long first, int n, long at) {
    for (int i = 0; i < n; i++) {
      long dots = ofArc(p, at + p.buffers().dots(), i);
      int id = p.arcs().id(first + i);
      for (int h = 0; h < p.heads().count(); h++) {
        set(p.scratch(), dots, h, dot(p.heads(), h, p.near(), row, p.far(), id));
      }
    }
  }

  @Override
  public void gradients(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    MemorySegment scratch = p.scratch();
    float negative = p.projected() ? 1 : p.slope();
    long rowDraw = p.dropping() ? p.rowDraw(row) : 0;
    for (int h = 0; h < p.heads().count(); h++) {
      float sum = p.starts(row, first) ? 0 : get(scratch, at + b.sums(), h);
      for (int i = 0; i < n; i++) {
        int id = p.arcs().id(first + i);
        long state = p.stateOffset(row, id);
        float score = get(scratch, ofArc(p, at + b.scores(), i), h);
        float keep = p.dropping() ? p.dropout().factor(p.arcDraw(rowDraw, row, id), h) : 1;
        float alpha =
            Exp.of(score - get(p.state(), state + b.max(), h))
                * get(p.state(), state + b.inverse(), h);
        float dot = keep * get(scratch, ofArc(p, at + b.dots(), i), h);
        float gradient = alpha * (dot - get(p.state(), state + b.mean(), h));
        gradient = score > 0 ? gradient : negative * gradient;
        sum += gradient;
        set(scratch, ofArc(p, at + b.scores(), i), h, gradient);
        set(scratch, ofArc(p, at + b.weights(), i), h, keep * alpha);
      }
      set(scratch, at + b.sums(), h, sum);
    }
  }

  @Override
  public void slopeSum(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    boolean fresh = p.starts(row, first);
    int width = p.heads().width();
    for (int c = 0; c < p.heads().columns(); c++) {
      float sum = fresh ? 0 : get(p.scratch(), at + b.slopes(), c);
      for (int i = 0; i < n; i++) {
        float gradient = get(p.scratch(), ofArc(p, at + b.scores(), i), c / width);
        boolean positive = sum(p, row, p.arcs().id(first + i), c) > 0;
        sum += positive ? gradient : p.slope() * gradient;
      }
      set(p.scratch(), at + b.slopes(), c, sum);
    }
  }

  @Override
  public void spreadSums(AttentionPass p, long at) {
    int width = p.heads().width();
    for (int c = 0; c < p.heads().columns(); c++) {
      float sum = get(p.scratch(), at + p.buffers().sums(), c / width);
      set(p.scratch(), at + p.buffers().slopes(), c, sum);
    }
  }

  @Override
  public void project(AttentionPass p, int row, long at, boolean add) {
    long partial = at + p.buffers().partial();
    for (int c = 0; c < p.heads().columns(); c++) {
      float slope = get(p.scratch(), at + p.buffers().slopes(), c);
      float before = add ? p.target().get(row, c) : 0;
      p.target().set(row, c, before + p.vector().get(0, c) * slope);
      float sum = get(p.scratch(), partial, c) + p.base().get(row, c) * slope;
      set(p.scratch(), partial, c, sum);
    }
  }

  private static float dot(Heads heads, int h, Matrix a, int rowA, Matrix b, int rowB) {
    float dot = 0;
    for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
      dot += a.get(rowA, c) * b.get(rowB, c);
    }
    return dot;
  }

  /** Byte offset of the values per head of the chunk's i-th arc. */
  private static long ofArc(AttentionPass p, long base, int i) {
    return base + i * p.buffers().headBytes();
  }

  private static float get(MemorySegment values, long base, int index) {
    return values.get(JAVA_FLOAT, base + (long) index * Float.BYTES);
  }

  private static void set(MemorySegment values, long base, int index, float value) {
    values.set(JAVA_FLOAT, base + (long) index * Float.BYTES, value);
  }
}
