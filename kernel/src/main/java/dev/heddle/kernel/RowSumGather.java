package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A {@link SumGather} that makes some rows at a time. */
public final class RowSumGather implements RowWork {
  private final SumGather gather;
  private final @Nullable Matrix source;
  private final @Nullable HalfMatrix half;
  private final Matrix target;
  private final Matrix hubRows;

  private RowSumGather(
      SumGather gather,
      @Nullable Matrix source,
      @Nullable HalfMatrix half,
      Matrix target,
      MemorySegment scratch) {
    this.gather = gather;
    this.source = source;
    this.half = half;
    this.target = target;
    hubRows = Matrix.over(scratch, ArcTasks.MAX_HUBS, target.cols());
  }

  /** Gathers rows of {@code source} into {@code target}, over {@link #scratchBytes} of scratch. */
  public static RowSumGather of(
      SumGather gather, Matrix source, Matrix target, MemorySegment scratch) {
    check(source.cols() == target.cols(), source, target);
    return new RowSumGather(gather, source, null, target, scratch);
  }

  /** A gather from rows stored in half width. */
  public static RowSumGather of(
      SumGather gather, HalfMatrix source, Matrix target, MemorySegment scratch) {
    check(source.cols() == target.cols(), source, target);
    return new RowSumGather(gather, null, source, target, scratch);
  }

  private static void check(boolean fits, Object source, Matrix target) {
    if (!fits) {
      throw new IllegalArgumentException("cannot gather rows of " + source + " into " + target);
    }
  }

  /** Scratch for rows of so many columns. */
  public static long scratchBytes(int cols) {
    return Matrix.bytes(ArcTasks.MAX_HUBS, cols);
  }

  @Override
  public void begin(ThreadTeam team, int rows) {
    check(rows == gather.arcs().rows() && rows <= target.rows(), rows, target);
    if (source != null) {
      gather.startBlocks(team, source, hubRows);
    } else if (half != null) {
      gather.startBlocks(team, half, hubRows);
    }
  }

  @Override
  public void rows(int part, int from, int to) {
    gather.block(from, to, target, from);
  }
}
