package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Aggregation and linear maps in one pass over the rows, {@code out = (Â x) W + x W_self}, and the
 * way back. Aggregated rows exist a block at a time, in the second-level cache: they are never a
 * matrix.
 *
 * <p>Each part of the rows adds up its share of the weights' gradients, and the shares are summed
 * in order: the same bits for any number of threads. Reused from run to run, it allocates nothing.
 */
public final class GatherProduct {
  private final BlockGather forward;
  private final BlockGather backward;
  private final Map neighbours;
  private final @Nullable Map self;
  private final Task forwardTask = this::forwardPart;
  private final Task backwardTask = this::backwardPart;

  private Matrix x = Matrix.EMPTY;
  private Matrix out = Matrix.EMPTY;
  private Matrix aggregated = Matrix.EMPTY;
  private Matrix inputGrad = Matrix.EMPTY;
  private boolean add;

  /**
   * The two directions of an aggregation, each with partial sums as wide as what it gathers. They
   * may be {@linkplain SumGather#slice slices}: then only their rows are made, there and back.
   */
  public record Arcs(SumGather forward, SumGather backward) {}

  /** A weight, {@code in × out}, and its gradient, which {@link #backward} adds to. */
  public record Weight(Matrix value, Matrix grad) {}

  private GatherProduct(
      Arcs arcs, Weight neighbours, @Nullable Weight self, MemorySegment scratch) {
    Matrix w = neighbours.value();
    long weightBytes = Map.bytes(w);
    long used = self == null ? weightBytes : 2 * weightBytes;
    this.neighbours = new Map(neighbours, scratch.asSlice(0, weightBytes));
    this.self = self == null ? null : new Map(self, scratch.asSlice(weightBytes, weightBytes));
    // The two directions never run at once.
    forward = new BlockGather(arcs.forward(), w.rows(), scratch.asSlice(used));
    backward = new BlockGather(arcs.backward(), w.cols(), scratch.asSlice(used));
  }

  /**
   * A convolution over arcs.
   *
   * @param self the map of a row itself, of the shape of {@code neighbours}; none for no such term
   * @param scratch {@link #scratchBytes}
   */
  public static GatherProduct over(
      Arcs arcs, Weight neighbours, @Nullable Weight self, MemorySegment scratch) {
    return new GatherProduct(arcs, neighbours, self, scratch);
  }

  /** Scratch for weights of {@code in × out}. */
  public static long scratchBytes(Matrix weight, boolean self) {
    return (self ? 2 : 1) * Map.bytes(weight)
        + Math.max(BlockGather.bytes(weight.rows()), BlockGather.bytes(weight.cols()));
  }

  /** Writes a row of {@code target} for every destination. */
  public void forward(ThreadTeam team, Matrix source, Matrix target) {
    x = source;
    out = target;
    aggregated = Matrix.EMPTY;
    check(source, target);
    forward.start(team, source);
    team.run(forward.parts().count(), forwardTask);
  }

  /**
   * {@link #forward} to the bit, where the aggregation goes through sources that exceed memory and
   * so makes all rows before any is mapped.
   *
   * @param whole takes the aggregated rows
   */
  public void forwardThrough(ThreadTeam team, Matrix source, Matrix whole, Matrix target) {
    if (!forward.goesThrough(source)) {
      forward(team, source, target);
      return;
    }
    x = source;
    out = target;
    check(source, target);
    forward.all(team, source, whole);
    aggregated = whole;
    team.run(forward.parts().count(), forwardTask);
  }

  private void forwardPart(int part) {
    int end = forward.parts().end(part);
    int step = forward.blockRows();
    GemmKernels gemm = Gemm.kernels();
    for (int row = forward.parts().first(part); row < end; row += step) {
      int rows = Math.min(step, end - row);
      int at = forward.firstRow() + row;
      if (self != null) {
        gemm.multiply(rows, x, at, self.value, out, at, false);
      }
      if (aggregated.rows() > 0) {
        gemm.multiply(rows, aggregated, at, neighbours.value, out, at, self != null);
      } else {
        Matrix block = forward.rows(part, row, row + rows);
        gemm.multiply(rows, block, 0, neighbours.value, out, at, self != null);
      }
    }
  }

  /** Where the gradient of the sources goes, and whether it is added to what is there. */
  public record Gradient(Matrix matrix, boolean add) {}

  /**
   * Adds to the gradients of the weights, and makes that of the sources. Every source row is read
   * before its gradient is written: the gradient may take the sources' place.
   *
   * @param grad of the output
   * @param source as it was in {@link #forward}
   */
  public void backward(ThreadTeam team, Matrix grad, Matrix source, Gradient sourceGrad) {
    x = source;
    out = grad;
    inputGrad = sourceGrad.matrix();
    add = sourceGrad.add();
    check(source, grad);
    check(inputGrad, grad);
    neighbours.transpose();
    if (self != null) {
      self.transpose();
    }
    backward.start(team, grad);
    int parts = backward.parts().count();
    team.run(parts, backwardTask);
    neighbours.addGradient(team, parts);
    if (self != null) {
      self.addGradient(team, parts);
    }
  }

  private void backwardPart(int part) {
    int end = backward.parts().end(part);
    int step = backward.blockRows();
    int destinations = forward.allRows();
    GemmKernels gemm = Gemm.kernels();
    Matrix share = neighbours.share(part);
    Matrix selfShare = self == null ? share : self.share(part);
    for (int row = backward.parts().first(part); row < end; row += step) {
      int rows = Math.min(step, end - row);
      int at = backward.firstRow() + row;
      int own = self == null ? 0 : Math.clamp(destinations - at, 0, rows);
      Matrix block = backward.rows(part, row, row + rows);
      gemm.transposeMultiply(rows, x, at, block, 0, share, true);
      if (own > 0) {
        gemm.transposeMultiply(own, x, at, out, at, selfShare, true);
      }
      gemm.multiply(rows, block, 0, neighbours.transposed, inputGrad, at, add);
      if (self != null && own > 0) {
        gemm.multiply(own, out, at, self.transposed, inputGrad, at, true);
      }
    }
  }

  /** Native code sees addresses only: nothing else stands between a wrong shape and a crash. */
  private void check(Matrix source, Matrix target) {
    Matrix w = neighbours.value;
    if (source.rows() < backward.allRows()
        || target.rows() < forward.allRows()
        || source.cols() != w.rows()
        || target.cols() != w.cols()) {
      throw new IllegalArgumentException("cannot take " + source + " to " + target + " by " + w);
    }
    source.requireAlive();
    target.requireAlive();
    w.requireAlive();
  }

  /** A weight with what its gradients need. */
  private static final class Map {
    private final Matrix value;
    private final Matrix grad;
    private final Matrix transposed;
    private final PartialSums shares;

    Map(Weight weight, MemorySegment scratch) {
      value = weight.value();
      grad = weight.grad();
      transposed = Matrix.over(scratch, /* rows= */ value.cols(), /* cols= */ value.rows());
      long turned = Matrix.bytes(/* rows= */ value.cols(), /* cols= */ value.rows());
      shares = PartialSums.over(scratch.asSlice(turned), value.rows(), value.cols());
    }

    static long bytes(Matrix w) {
      return Matrix.bytes(/* rows= */ w.cols(), /* cols= */ w.rows())
          + PartialSums.bytes(w.rows(), w.cols());
    }

    void transpose() {
      value.transposeInto(transposed);
    }

    /** A part's share of the gradient, zeroed. */
    Matrix share(int part) {
      Matrix share = shares.part(part);
      share.data().fill((byte) 0);
      return share;
    }

    void addGradient(ThreadTeam team, int parts) {
      shares.addTo(team, parts, grad);
    }
  }
}
