package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Attention by the Vector API: what is one value per head goes through the lanes head by head,
 * eight heads at once, padding included; rows go through them column by column.
 *
 * <p>Long loops here and in the classes it calls pass no vector to a method and choose none by a
 * branch. The compiler stops inlining all but the JDK's own methods once a loop has grown to 18,000
 * nodes, which some thirty accesses to memory reach, and a vector that is passed on is an object.
 */
final class SimdAttention implements AttentionKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;

  @Override
  public void headDots(HeadDots d, int from, int to) {
    SimdHeadDots.rows(d, from, to);
  }

  @Override
  public void scores(AttentionPass p, ArcChunk c) {
    if (p.projected()) {
      SimdHeadDots.leaky(p, c);
      return;
    }
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = p.scoreNear().address(c.row()) & ADDRESS;
    long far = p.scoreFar().address(0) & ADDRESS;
    long stride = 4L * p.scoreFar().stride() & STRIDE;
    int rows = p.scoreFar().rows();
    int n = c.n();
    float slope = p.slope();
    for (int k = 0; k < c.stride; k += LANES) {
      FloatVector s = FloatVector.fromMemorySegment(F, ALL, near + 4L * k, LE);
      for (int i = 0; i < n; i++) {
        int row = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows);
        FloatVector z =
            s.add(FloatVector.fromMemorySegment(F, ALL, far + row * stride + 4L * k, LE));
        z.mul(slope)
            .blend(z, z.compare(VectorOperators.GT, 0))
            .intoArray(c.scores, i * c.stride + k);
      }
    }
  }

  @Override
  public void softmax(AttentionPass p, ArcChunk c) {
    keep(p, c);
    for (int k = 0; k < c.stride; k += LANES) {
      raiseMax(c, k);
    }
    SimdExp.inPlace(c.shrink, c.stride);
    SimdExp.inPlace(c.weights, c.n() * c.stride);
    for (int k = 0; k < c.stride; k += LANES) {
      addWeights(c, k);
    }
    if (c.first() > p.arcs().offset(c.row())) {
      SimdHeadSums.scale(p.target(), c.row(), c.heads(), c.shrink);
    }
  }

  /** Differences to the new maximum, of the scores and of the old maximum. */
  private static void raiseMax(ArcChunk c, int k) {
    int n = c.n();
    FloatVector before = FloatVector.fromArray(F, c.max, k);
    FloatVector max = before;
    for (int i = 0; i < n; i++) {
      FloatVector score = FloatVector.fromArray(F, c.scores, i * c.stride + k);
      max = max.blend(score, score.compare(VectorOperators.GT, max));
    }
    for (int i = 0; i < n; i++) {
      int at = i * c.stride + k;
      FloatVector.fromArray(F, c.scores, at).sub(max).intoArray(c.weights, at);
    }
    before.sub(max).intoArray(c.shrink, k);
    max.intoArray(c.max, k);
  }

  private static void addWeights(ArcChunk c, int k) {
    int n = c.n();
    FloatVector sum =
        FloatVector.fromArray(F, c.sums, k).mul(FloatVector.fromArray(F, c.shrink, k));
    for (int i = 0; i < n; i++) {
      int at = i * c.stride + k;
      FloatVector weight = FloatVector.fromArray(F, c.weights, at);
      sum = sum.add(weight);
      weight.mul(FloatVector.fromArray(F, c.keeps, at)).intoArray(c.weights, at);
    }
    sum.intoArray(c.sums, k);
  }

  /** {@link AttentionDropout#factor} of all arcs and heads. */
  private static void keep(AttentionPass p, ArcChunk c) {
    int n = c.n();
    if (!p.dropping()) {
      c.keepAll();
      return;
    }
    c.keepSome();
    float scale = p.dropout().scale();
    int threshold = p.dropout().threshold();
    long rowDraw = p.dropout().ofDestination(c.row());
    for (int i = 0; i < n; i++) {
      int draw = p.dropout().ofArc(rowDraw, p.arcs().id(c.first() + i));
      for (int k = 0; k < c.stride; k += LANES) {
        VectorMask<Float> dropped = SimdDraws.dropped(draw, k, threshold);
        FloatVector.broadcast(F, scale).blend(0, dropped).intoArray(c.keeps, i * c.stride + k);
      }
    }
  }

  @Override
  public void clear(AttentionPass p, int row) {
    MemorySegment target = p.target().data();
    long at = p.target().offset(row);
    int vectors = Simd.vectors(p.target().cols());
    for (int v = 0; v < vectors; v++) {
      FloatVector.zero(F).intoMemorySegment(target, at + v * (long) F.vectorByteSize(), LE);
    }
  }

  @Override
  public void weightedSum(AttentionPass p, ArcChunk c, boolean add) {
    SimdHeadSums.weighted(p, c, add);
  }

  @Override
  public void keepState(AttentionPass p, ArcChunk c) {
    long state = p.buffers().state().offset(c.row());
    for (int k = 0; k < c.stride; k += LANES) {
      FloatVector inverse = FloatVector.broadcast(F, 1).div(FloatVector.fromArray(F, c.sums, k));
      inverse.intoArray(c.sums, k);
      inverse.intoMemorySegment(p.state(), state + p.buffers().inverse() + 4L * k, LE);
      FloatVector.fromArray(F, c.max, k)
          .intoMemorySegment(p.state(), state + p.buffers().max() + 4L * k, LE);
    }
  }

  @Override
  public void scaleWeights(ArcChunk c) {
    int n = c.n();
    for (int k = 0; k < c.stride; k += LANES) {
      FloatVector factor = FloatVector.fromArray(F, c.sums, k);
      for (int i = 0; i < n; i++) {
        int at = i * c.stride + k;
        FloatVector.fromArray(F, c.weights, at).mul(factor).intoArray(c.weights, at);
      }
    }
  }

  @Override
  public void scaleTarget(AttentionPass p, ArcChunk c) {
    SimdHeadSums.scale(p.target(), c.row(), c.heads(), c.sums);
  }

  @Override
  public void dots(AttentionPass p, ArcChunk c) {
    SimdHeadDots.arcs(p, c);
  }

  @Override
  public void gradients(AttentionPass p, ArcChunk c) {
    keep(p, c);
    for (int k = 0; k < c.stride; k += LANES) {
      belowMax(p, c, k);
    }
    SimdExp.inPlace(c.weights, c.n() * c.stride);
    for (int k = 0; k < c.stride; k += LANES) {
      gradients(p, c, k);
    }
  }

  /** Differences of the scores to the row's maxima. */
  private static void belowMax(AttentionPass p, ArcChunk c, int k) {
    long at = p.buffers().state().offset(c.row()) + p.buffers().max() + 4L * k;
    FloatVector max = FloatVector.fromMemorySegment(F, p.state(), at, LE);
    int n = c.n();
    for (int i = 0; i < n; i++) {
      int arc = i * c.stride + k;
      FloatVector.fromArray(F, c.scores, arc).sub(max).intoArray(c.weights, arc);
    }
  }

  private static void gradients(AttentionPass p, ArcChunk c, int k) {
    long row = p.buffers().state().offset(c.row()) + 4L * k;
    FloatVector inverse =
        FloatVector.fromMemorySegment(F, p.state(), row + p.buffers().inverse(), LE);
    FloatVector mean = FloatVector.fromMemorySegment(F, p.state(), row + p.buffers().mean(), LE);
    float negative = p.projected() ? 1 : p.slope();
    int n = c.n();
    FloatVector sum = FloatVector.fromArray(F, c.sums, k);
    for (int i = 0; i < n; i++) {
      int at = i * c.stride + k;
      FloatVector alpha = FloatVector.fromArray(F, c.weights, at).mul(inverse);
      FloatVector keep = FloatVector.fromArray(F, c.keeps, at);
      alpha.mul(keep).intoArray(c.weights, at);
      FloatVector gradient = FloatVector.fromArray(F, c.dots, at).mul(keep).sub(mean).mul(alpha);
      VectorMask<Float> positive =
          FloatVector.fromArray(F, c.scores, at).compare(VectorOperators.GT, 0);
      gradient = gradient.mul(negative).blend(gradient, positive);
      gradient.intoArray(c.scores, at);
      sum = sum.add(gradient);
    }
    sum.intoArray(c.sums, k);
  }

  /**
   * In whole vectors, each of which the next ones overwrite where it reaches too far; but not those
   * of the last arcs: behind them lies what another thread may have left.
   */
  @Override
  public void leave(AttentionPass p, ArcChunk c) {
    int heads = c.heads().count();
    int tooFar = (heads + LANES - 1) / LANES * LANES - heads;
    int whole = Math.max(0, c.n() - (tooFar + 2 * heads - 1) / (2 * heads));
    long to = (p.buffers().arcs().address() + p.buffers().arcOffset(c.first())) & ADDRESS;
    for (int i = 0; i < whole; i++) {
      long arc = (to + 8L * heads * i) & ADDRESS;
      for (int k = 0; k < heads; k += LANES) {
        FloatVector.fromArray(F, c.weights, i * c.stride + k)
            .intoMemorySegment(ALL, arc + 4L * k, LE);
      }
      for (int k = 0; k < heads; k += LANES) {
        FloatVector.fromArray(F, c.scores, i * c.stride + k)
            .intoMemorySegment(ALL, arc + 4L * (heads + k), LE);
      }
    }
    ScalarAttention.leave(p, c, whole);
  }

  /** Lanes beyond the heads get what lies behind: nobody looks at them. */
  @Override
  public void recall(AttentionPass p, ArcChunk c) {
    long values = p.buffers().arcs().address() & ADDRESS;
    long inArc = (p.twins().inArcs().address() + 8 * c.first()) & ADDRESS;
    long arcs = p.arcs().offset(p.arcs().rows());
    long size = 2L * c.heads().count() * Float.BYTES;
    int n = c.n();
    for (int k = 0; k < c.stride; k += LANES) {
      long gradients = 4L * (c.heads().count() + k);
      FloatVector sum = FloatVector.fromArray(F, c.sums, k);
      for (int i = 0; i < n; i++) {
        long arc = Objects.checkIndex(ALL.get(JAVA_LONG_UNALIGNED, inArc + 8L * i), arcs);
        long from = (values + arc * size) & ADDRESS;
        int at = i * c.stride + k;
        FloatVector gradient = FloatVector.fromMemorySegment(F, ALL, from + gradients, LE);
        FloatVector.fromMemorySegment(F, ALL, from + 4L * k, LE).intoArray(c.weights, at);
        gradient.intoArray(c.scores, at);
        sum = sum.add(gradient);
      }
      sum.intoArray(c.sums, k);
    }
  }

  @Override
  public void slopeSum(AttentionPass p, ArcChunk c) {
    SimdHeadSlopes.add(p, c);
  }

  @Override
  public void project(AttentionPass p, ArcChunk c, int task, boolean add) {
    long target = p.target().address(c.row()) & ADDRESS;
    long base = p.base().address(c.row()) & ADDRESS;
    long vector = p.vector().address(0) & ADDRESS;
    long partial = p.buffers().partials().address(task) & ADDRESS;
    int vectors = Simd.vectors(c.heads().columns());
    for (int v = 0; v < vectors; v++) {
      long k = v * (long) F.vectorByteSize();
      FloatVector slope = FloatVector.fromArray(F, c.slopes, v * LANES);
      FloatVector part = slope.mul(FloatVector.fromMemorySegment(F, ALL, vector + k, LE));
      if (add) {
        part = part.add(FloatVector.fromMemorySegment(F, ALL, target + k, LE));
        part.intoMemorySegment(ALL, target + k, LE);
      } else {
        part.intoMemorySegment(ALL, target + k, LE);
      }
      slope
          .fma(
              FloatVector.fromMemorySegment(F, ALL, base + k, LE),
              FloatVector.fromMemorySegment(F, ALL, partial + k, LE))
          .intoMemorySegment(ALL, partial + k, LE);
    }
  }
}
