package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/** The reference that {@link SimdAttention} is tested against, and the fallback without SIMD. */
final class ScalarAttention implements AttentionKernels {
  @Override
  public void headDots(HeadDots d, int from, int to) {
    for (int row = from; row < to; row++) {
      for (int h = 0; h < d.heads().count(); h++) {
        float dot = dot(d.heads(), h, d.a(), row, d.b(), d.rowOfB(row));
        d.out().data().set(JAVA_FLOAT, d.out().offset(row) + d.column() + 4L * h, dot);
      }
    }
  }

  @Override
  public void scores(AttentionPass p, ArcChunk c) {
    for (int i = 0; i < c.n(); i++) {
      int id = p.arcs().id(c.first() + i);
      for (int h = 0; h < c.heads().count(); h++) {
        c.scores[i * c.stride + h] = score(p, c.row(), id, h);
      }
    }
  }

  private static float score(AttentionPass p, int row, int id, int h) {
    if (!p.projected()) {
      return leaky(p, sum(p, row, id, h));
    }
    int width = p.heads().width();
    float score = 0;
    for (int col = h * width; col < (h + 1) * width; col++) {
      score += p.vector().get(0, col) * leaky(p, sum(p, row, id, col));
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
  public void softmax(AttentionPass p, ArcChunk c) {
    keep(p, c);
    for (int h = 0; h < c.heads().count(); h++) {
      float max = c.max[h];
      for (int i = 0; i < c.n(); i++) {
        float score = c.scores[i * c.stride + h];
        max = score > max ? score : max;
      }
      c.shrink[h] = Exp.of(c.max[h] - max);
      c.max[h] = max;
      c.sums[h] *= c.shrink[h];
      for (int i = 0; i < c.n(); i++) {
        int at = i * c.stride + h;
        float weight = Exp.of(c.scores[at] - max);
        c.sums[h] += weight;
        c.weights[at] = c.keeps[at] * weight;
      }
    }
    if (c.first() > p.arcs().offset(c.row())) {
      scaleTarget(p, c, c.shrink);
    }
  }

  private static void keep(AttentionPass p, ArcChunk c) {
    if (!p.dropping()) {
      c.keepAll();
      return;
    }
    c.keepSome();
    long rowDraw = p.dropout().ofDestination(c.row());
    for (int i = 0; i < c.n(); i++) {
      int draw = p.dropout().ofArc(rowDraw, p.arcs().id(c.first() + i));
      for (int h = 0; h < c.heads().count(); h++) {
        c.keeps[i * c.stride + h] = p.dropout().factor(draw, h);
      }
    }
  }

  private static void scaleTarget(AttentionPass p, ArcChunk c, float[] factors) {
    Matrix target = p.target();
    for (int col = 0; col < target.cols(); col++) {
      float factor = factors[col / c.heads().width()];
      target.set(c.row(), col, factor * target.get(c.row(), col));
    }
  }

  @Override
  public void clear(AttentionPass p, int row) {
    for (int col = 0; col < p.target().cols(); col++) {
      p.target().set(row, col, 0);
    }
  }

  @Override
  public void weightedSum(AttentionPass p, ArcChunk c, boolean add) {
    if (!add) {
      clear(p, c.row());
    }
    for (int i = 0; i < c.n(); i++) {
      int id = p.arcs().id(c.first() + i);
      for (int col = 0; col < p.target().cols(); col++) {
        float weight = c.weights[i * c.stride + col / c.heads().width()];
        float sum = p.target().get(c.row(), col) + weight * p.far().get(id, col);
        p.target().set(c.row(), col, sum);
      }
    }
  }

  @Override
  public void keepState(AttentionPass p, ArcChunk c) {
    long state = p.buffers().state().offset(c.row());
    for (int h = 0; h < c.heads().count(); h++) {
      c.sums[h] = 1 / c.sums[h];
      p.state().set(JAVA_FLOAT, state + p.buffers().max() + 4L * h, c.max[h]);
      p.state().set(JAVA_FLOAT, state + p.buffers().inverse() + 4L * h, c.sums[h]);
    }
  }

  @Override
  public void scaleWeights(ArcChunk c) {
    for (int i = 0; i < c.n(); i++) {
      for (int h = 0; h < c.heads().count(); h++) {
        c.weights[i * c.stride + h] *= c.sums[h];
      }
    }
  }

  @Override
  public void scaleTarget(AttentionPass p, ArcChunk c) {
    scaleTarget(p, c, c.sums);
  }

  @Override
  public void dots(AttentionPass p, ArcChunk c) {
    for (int i = 0; i < c.n(); i++) {
      int id = p.arcs().id(c.first() + i);
      for (int h = 0; h < c.heads().count(); h++) {
        c.dots[i * c.stride + h] = dot(c.heads(), h, p.near(), c.row(), p.far(), id);
      }
    }
  }

  private static float dot(Heads heads, int h, Matrix a, int rowA, Matrix b, int rowB) {
    float dot = 0;
    for (int col = h * heads.width(); col < (h + 1) * heads.width(); col++) {
      dot += a.get(rowA, col) * b.get(rowB, col);
    }
    return dot;
  }

  @Override
  public void gradients(AttentionPass p, ArcChunk c) {
    keep(p, c);
    AttentionBuffers b = p.buffers();
    float negative = p.projected() ? 1 : p.slope();
    for (int i = 0; i < c.n(); i++) {
      long state = b.state().offset(c.row());
      for (int h = 0; h < c.heads().count(); h++) {
        int at = i * c.stride + h;
        float max = p.state().get(JAVA_FLOAT, state + b.max() + 4L * h);
        float inverse = p.state().get(JAVA_FLOAT, state + b.inverse() + 4L * h);
        float mean = p.state().get(JAVA_FLOAT, state + b.mean() + 4L * h);
        float alpha = Exp.of(c.scores[at] - max) * inverse;
        float gradient = alpha * (c.keeps[at] * c.dots[at] - mean);
        c.scores[at] = c.scores[at] > 0 ? gradient : negative * gradient;
        c.weights[at] = c.keeps[at] * alpha;
        c.sums[h] += c.scores[at];
      }
    }
  }

  @Override
  public void leave(AttentionPass p, ArcChunk c) {
    leave(p, c, 0);
  }

  /** Leaves those of the chunk's arcs from one on. */
  static void leave(AttentionPass p, ArcChunk c, int from) {
    MemorySegment values = p.buffers().arcs();
    int heads = c.heads().count();
    for (int i = from; i < c.n(); i++) {
      long to = p.buffers().arcOffset(c.first() + i);
      for (int h = 0; h < heads; h++) {
        values.set(JAVA_FLOAT, to + 4L * h, c.weights[i * c.stride + h]);
        values.set(JAVA_FLOAT, to + 4L * (heads + h), c.scores[i * c.stride + h]);
      }
    }
  }

  @Override
  public void recall(AttentionPass p, ArcChunk c) {
    MemorySegment values = p.buffers().arcs();
    int heads = c.heads().count();
    for (int i = 0; i < c.n(); i++) {
      long from = p.buffers().arcOffset(p.twins().inArc(c.first() + i));
      for (int h = 0; h < heads; h++) {
        int at = i * c.stride + h;
        c.weights[at] = values.get(JAVA_FLOAT, from + 4L * h);
        c.scores[at] = values.get(JAVA_FLOAT, from + 4L * (heads + h));
        c.sums[h] += c.scores[at];
      }
    }
  }

  @Override
  public void slopeSum(AttentionPass p, ArcChunk c) {
    for (int i = 0; i < c.n(); i++) {
      int id = p.arcs().id(c.first() + i);
      for (int col = 0; col < c.heads().columns(); col++) {
        float gradient = c.scores[i * c.stride + col / c.heads().width()];
        c.slopes[col] += sum(p, c.row(), id, col) > 0 ? gradient : p.slope() * gradient;
      }
    }
  }

  @Override
  public void project(AttentionPass p, ArcChunk c, int task, boolean add) {
    if (!add) {
      clear(p, c.row());
    }
    Matrix target = p.target();
    Matrix partials = p.buffers().partials();
    for (int col = 0; col < target.cols(); col++) {
      float slope = c.slopes[col];
      target.set(c.row(), col, target.get(c.row(), col) + p.vector().get(0, col) * slope);
      partials.set(task, col, partials.get(task, col) + p.base().get(c.row(), col) * slope);
    }
  }
}
