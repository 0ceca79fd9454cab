package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Attention by the Vector API.
 *
 * <p>What is one value per head goes through the lanes head by head, eight heads at once, padding
 * included. Rows go through them column by column; see {@link SimdHeads} and {@link SimdHeadSums}.
 */
final class SimdAttention implements AttentionKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  /** Of {@link Draws#column}. */
  private static final int COLUMN_STEP = 0x9E3779B9;

  private static final IntVector COLUMN_STEPS = IntVector.zero(I).addIndex(1).mul(COLUMN_STEP);

  @Override
  public void headDots(HeadDots d, int from, int to) {
    MemorySegment a = d.a().data();
    MemorySegment b = d.b().data();
    int count = d.heads().count();
    int width = d.heads().width();
    for (int row = from; row < to; row++) {
      long aAt = d.a().offset(row);
      long bAt = d.b().offset(d.rowOfB(row));
      SimdHeads.dots(
          a, aAt, b, bAt, count, width, d.out().data(), d.out().offset(row) + d.column());
    }
  }

  @Override
  public void scores(AttentionPass p, int row, long first, int n, long at) {
    MemorySegment far = p.scoreFar().data();
    long stride = (long) p.scoreFar().stride() * Float.BYTES;
    MemorySegment near = p.scoreNear().data();
    long nearAt = p.scoreNear().offset(row);
    MemorySegment ids = p.arcs().ids();
    long idAt = first * Integer.BYTES;
    MemorySegment scratch = p.scratch();
    long step = p.buffers().headBytes();
    long to = at + p.buffers().scores();
    float slope = p.slope();
    if (p.projected()) {
      MemorySegment vector = p.vector().data();
      int count = p.heads().count();
      int width = p.heads().width();
      for (int i = 0; i < n; i++) {
        long farAt = ids.get(JAVA_INT, idAt + 4L * i) * stride;
        long scoreAt = to + i * step;
        SimdHeads.leakyDots(
            near, nearAt, far, farAt, vector, slope, count, width, scratch, scoreAt);
      }
      return;
    }
    for (long k = 0; k < step; k += V) {
      FloatVector s = FloatVector.fromMemorySegment(F, near, nearAt + k, LE);
      for (int i = 0; i < n; i++) {
        long farAt = ids.get(JAVA_INT, idAt + 4L * i) * stride;
        FloatVector z = s.add(FloatVector.fromMemorySegment(F, far, farAt + k, LE));
        SimdHeads.leaky(z, slope).intoMemorySegment(scratch, to + i * step + k, LE);
      }
    }
  }

  @Override
  public void softmax(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    MemorySegment scratch = p.scratch();
    MemorySegment state = p.state();
    boolean fresh = p.starts(row, first);
    long step = b.headBytes();
    keep(p, row, first, n, at + b.weights());
    for (long k = 0; k < step; k += V) {
      long maxAt = b.state().offset(row) + b.max() + k;
      long sumAt = b.state().offset(row) + b.inverse() + k;
      long scores = at + b.scores() + k;
      long weights = at + b.weights() + k;
      // Through memory, because a vector chosen by a branch would be an object.
      if (fresh) {
        FloatVector.broadcast(F, Float.NEGATIVE_INFINITY).intoMemorySegment(state, maxAt, LE);
        FloatVector.zero(F).intoMemorySegment(state, sumAt, LE);
      }
      FloatVector before = FloatVector.fromMemorySegment(F, state, maxAt, LE);
      FloatVector max = before;
      for (int i = 0; i < n; i++) {
        FloatVector score = FloatVector.fromMemorySegment(F, scratch, scores + i * step, LE);
        max = max.blend(score, score.compare(VectorOperators.GT, max));
      }
      FloatVector shrink = SimdExp.of(before.sub(max));
      shrink.intoMemorySegment(scratch, at + b.sums() + k, LE);
      FloatVector sum = FloatVector.fromMemorySegment(F, state, sumAt, LE).mul(shrink);
      for (int i = 0; i < n; i++) {
        FloatVector score = FloatVector.fromMemorySegment(F, scratch, scores + i * step, LE);
        FloatVector weight = SimdExp.of(score.sub(max));
        sum = sum.add(weight);
        weight
            .mul(FloatVector.fromMemorySegment(F, scratch, weights + i * step, LE))
            .intoMemorySegment(scratch, weights + i * step, LE);
      }
      max.intoMemorySegment(state, maxAt, LE);
      sum.intoMemorySegment(state, sumAt, LE);
    }
    if (!fresh) {
      SimdHeads.scale(p.target(), row, p.heads(), scratch, at + b.sums());
    }
  }

  /** Writes {@link AttentionDropout#factor} of a chunk's arcs and heads into the weights. */
  private static void keep(AttentionPass p, int row, long first, int n, long weights) {
    long step = p.buffers().headBytes();
    if (!p.dropping()) {
      for (long k = 0; k < n * step; k += V) {
        FloatVector.broadcast(F, 1).intoMemorySegment(p.scratch(), weights + k, LE);
      }
      return;
    }
    long rowDraw = p.rowDraw(row);
    for (int i = 0; i < n; i++) {
      int draw = p.arcDraw(rowDraw, row, p.arcs().id(first + i));
      for (long k = 0; k < step; k += V) {
        factors(p.dropout(), draw, k).intoMemorySegment(p.scratch(), weights + i * step + k, LE);
      }
    }
  }

  /** {@link AttentionDropout#factor} of the heads whose values begin at byte {@code k}. */
  private static FloatVector factors(AttentionDropout dropout, int draw, long k) {
    int firstHead = (int) (k / Float.BYTES);
    IntVector x = COLUMN_STEPS.add(draw + firstHead * COLUMN_STEP);
    x = x.lanewise(VectorOperators.LSHR, 16).lanewise(VectorOperators.XOR, x).mul(0x21F0AAAD);
    x = x.lanewise(VectorOperators.LSHR, 15).lanewise(VectorOperators.XOR, x).mul(0x735A2D97);
    x = x.lanewise(VectorOperators.LSHR, 15).lanewise(VectorOperators.XOR, x);
    // Flipping the sign turns an unsigned comparison into a signed one.
    x = x.lanewise(VectorOperators.XOR, Integer.MIN_VALUE);
    return FloatVector.zero(F)
        .blend(
            dropout.scale(),
            x.compare(VectorOperators.GE, dropout.threshold() ^ Integer.MIN_VALUE).cast(F));
  }

  @Override
  public void weightedSum(AttentionPass p, int row, long first, int n, long at) {
    SimdHeadSums.weighted(p, row, first, n, at);
  }

  @Override
  public void normalise(AttentionPass p, int row) {
    AttentionBuffers b = p.buffers();
    long inverses = b.state().offset(row) + b.inverse();
    for (long k = 0; k < b.headBytes(); k += V) {
      FloatVector sum = FloatVector.fromMemorySegment(F, p.state(), inverses + k, LE);
      FloatVector.broadcast(F, 1).div(sum).intoMemorySegment(p.state(), inverses + k, LE);
    }
    SimdHeads.scale(p.target(), row, p.heads(), p.state(), inverses);
  }

  @Override
  public void dots(AttentionPass p, int row, long first, int n, long at) {
    MemorySegment near = p.near().data();
    long nearAt = p.near().offset(row);
    MemorySegment far = p.far().data();
    long stride = (long) p.far().stride() * Float.BYTES;
    MemorySegment ids = p.arcs().ids();
    long idAt = first * Integer.BYTES;
    MemorySegment scratch = p.scratch();
    long to = at + p.buffers().dots();
    long step = p.buffers().headBytes();
    int count = p.heads().count();
    int width = p.heads().width();
    for (int i = 0; i < n; i++) {
      long farAt = ids.get(JAVA_INT, idAt + 4L * i) * stride;
      SimdHeads.dots(near, nearAt, far, farAt, count, width, scratch, to + i * step);
    }
  }

  @Override
  public void gradients(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    MemorySegment scratch = p.scratch();
    MemorySegment state = p.state();
    long step = b.headBytes();
    float negative = p.projected() ? 1 : p.slope();
    keep(p, row, first, n, at + b.weights());
    for (long k = 0; k < step; k += V) {
      if (p.starts(row, first)) {
        FloatVector.zero(F).intoMemorySegment(scratch, at + b.sums() + k, LE);
      }
      FloatVector sum = FloatVector.fromMemorySegment(F, scratch, at + b.sums() + k, LE);
      for (int i = 0; i < n; i++) {
        int id = p.arcs().id(first + i);
        long ofArc = at + i * step + k;
        long ofState = p.stateOffset(row, id) + k;
        FloatVector score = FloatVector.fromMemorySegment(F, scratch, ofArc + b.scores(), LE);
        FloatVector alpha =
            SimdExp.of(score.sub(FloatVector.fromMemorySegment(F, state, ofState + b.max(), LE)))
                .mul(FloatVector.fromMemorySegment(F, state, ofState + b.inverse(), LE));
        FloatVector keep = FloatVector.fromMemorySegment(F, scratch, ofArc + b.weights(), LE);
        FloatVector dot = FloatVector.fromMemorySegment(F, scratch, ofArc + b.dots(), LE).mul(keep);
        alpha.mul(keep).intoMemorySegment(scratch, ofArc + b.weights(), LE);
        FloatVector mean = FloatVector.fromMemorySegment(F, state, ofState + b.mean(), LE);
        FloatVector gradient = alpha.mul(dot.sub(mean));
        gradient = gradient.mul(negative).blend(gradient, score.compare(VectorOperators.GT, 0));
        gradient.intoMemorySegment(scratch, ofArc + b.scores(), LE);
        sum = sum.add(gradient);
      }
      sum.intoMemorySegment(scratch, at + b.sums() + k, LE);
    }
  }

  @Override
  public void slopeSum(AttentionPass p, int row, long first, int n, long at) {
    SimdHeadSums.slopes(p, row, first, n, at);
  }

  @Override
  public void spreadSums(AttentionPass p, long at) {
    MemorySegment scratch = p.scratch();
    int width = p.heads().width();
    for (int h = 0; h < p.heads().count(); h++) {
      float sum = scratch.get(JAVA_FLOAT, at + p.buffers().sums() + (long) h * Float.BYTES);
      SimdHeads.fill(scratch, at + p.buffers().slopes() + 4L * h * width, width, sum);
    }
  }

  @Override
  public void project(AttentionPass p, int row, long at, boolean add) {
    MemorySegment scratch = p.scratch();
    MemorySegment target = p.target().data();
    long targetAt = p.target().offset(row);
    long baseAt = p.base().offset(row);
    long slopes = at + p.buffers().slopes();
    long partial = at + p.buffers().partial();
    int vectors = Simd.vectors(p.heads().columns());
    for (int c = 0; c < vectors; c++) {
      long k = c * V;
      FloatVector slope = FloatVector.fromMemorySegment(F, scratch, slopes + k, LE);
      FloatVector part = slope.mul(FloatVector.fromMemorySegment(F, p.vector().data(), k, LE));
      if (add) {
        part.add(FloatVector.fromMemorySegment(F, target, targetAt + k, LE))
            .intoMemorySegment(target, targetAt + k, LE);
      } else {
        part.intoMemorySegment(target, targetAt + k, LE);
      }
      FloatVector sum = FloatVector.fromMemorySegment(F, scratch, partial + k, LE);
      slope
          .fma(FloatVector.fromMemorySegment(F, p.base().data(), baseAt + k, LE), sum)
          .intoMemorySegment(scratch, partial + k, LE);
    }
  }
}
