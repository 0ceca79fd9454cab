package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * A {@link SumGather} whose rows are made a block at a time and used while they are in the cache.
 */
final class BlockGather {
  /**
   * Floats of a block, which shares the second-level cache with what it is multiplied by: 128 KB.
   */
  private static final int FLOATS = 1 << 15;

  private final SumGather gather;
  private final int blockRows;
  private final RowParts parts;
  private final Matrix hubRows;
  private final Matrix[] blocks;

  /** Gathers rows of {@code cols} columns, over {@link #bytes} of scratch. */
  BlockGather(SumGather gather, int cols, MemorySegment scratch) {
    this.gather = gather;
    blockRows = blockRows(cols);
    parts = RowParts.of(gather.arcs());
    hubRows = Matrix.over(scratch, ArcTasks.MAX_HUBS, cols);
    blocks = new Matrix[RowBlocks.MAX_PARTS];
    long size = Matrix.bytes(blockRows, cols);
    for (int p = 0; p < blocks.length; p++) {
      long at = Matrix.bytes(ArcTasks.MAX_HUBS, cols) + p * size;
      blocks[p] = Matrix.over(scratch.asSlice(at, size), blockRows, cols);
    }
  }

  static long bytes(int cols) {
    return Matrix.bytes(ArcTasks.MAX_HUBS + RowBlocks.MAX_PARTS * blockRows(cols), cols);
  }

  private static int blockRows(int cols) {
    return Math.clamp(FLOATS / Matrix.strideOf(cols), 32, 512);
  }

  /** Rows of a block. */
  int blockRows() {
    return blockRows;
  }

  /** Rows of the whole aggregation. */
  int allRows() {
    return gather.allRows();
  }

  /** What the first row gathered is among those of the whole aggregation. */
  int firstRow() {
    return gather.firstRow();
  }

  RowParts parts() {
    return parts;
  }

  /** Whether a matrix's rows are gone through in their order, see {@link #all}. */
  boolean goesThrough(Matrix source) {
    return gather.goesThrough(source);
  }

  /** Makes all rows at once. */
  void all(ThreadTeam team, Matrix source, Matrix target) {
    parts.refresh();
    gather.run(team, source, target, false);
  }

  /** Readies {@link #rows} of what is gathered from {@code source}. */
  void start(ThreadTeam team, Matrix source) {
    parts.refresh();
    gather.startBlocks(team, source, hubRows);
  }

  /**
   * Rows {@code from} to {@code to} (exclusive), at most {@link #blockRows}, in the part's own
   * block.
   */
  Matrix rows(int part, int from, int to) {
    gather.block(from, to, blocks[part], 0);
    return blocks[part];
  }
}
