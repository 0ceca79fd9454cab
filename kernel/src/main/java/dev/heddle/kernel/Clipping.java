package dev.heddle.kernel;

/**
 * What clipping needs of a gradient: the sum of its squares, its values times a factor, its values
 * bounded. The sum has the same bits for any number of threads. Reused, it allocates nothing.
 */
public final class Clipping {
  /** Floats that are worth a task. */
  private static final int MIN_FLOATS = 4096;

  /** Partial sums that are kept: more blocks than this would only be added up for longer. */
  private static final int MAX_BLOCKS = 1024;

  private final Matrix sums;
  private final Task squaresTask = this::squares;
  private final Task scaleTask = this::scale;
  private final Task clampTask = this::clamp;

  private Matrix matrix;
  private int blockRows;
  private float number;

  private Clipping(Matrix sums) {
    this.sums = sums;
    this.matrix = sums;
  }

  /** For matrices of any shape. */
  public static Clipping allocate(Memory memory) {
    return new Clipping(Matrix.allocate(memory, MAX_BLOCKS, UpdateKernels.SQUARE_LANES));
  }

  /** Σ x² over the values of a matrix. */
  public double sumOfSquares(ThreadTeam team, Matrix m) {
    matrix = m;
    blockRows = Math.max(MIN_FLOATS / m.stride(), (m.rows() - 1) / MAX_BLOCKS) + 1;
    int blocks = (m.rows() + blockRows - 1) / blockRows;
    team.run(blocks, squaresTask);
    double sum = 0;
    for (int block = 0; block < blocks; block++) {
      for (int lane = 0; lane < UpdateKernels.SQUARE_LANES; lane++) {
        sum += sums.get(block, lane);
      }
    }
    return sum;
  }

  /** Multiplies every value by {@code factor}. */
  public void scale(ThreadTeam team, Matrix m, float factor) {
    matrix = m;
    number = factor;
    team.run(FlatBlocks.count(FlatBlocks.floats(m)), scaleTask);
  }

  /** Moves every value beyond {@code ±limit} to it. */
  public void clamp(ThreadTeam team, Matrix m, float limit) {
    matrix = m;
    number = limit;
    team.run(FlatBlocks.count(FlatBlocks.floats(m)), clampTask);
  }

  private void squares(int block) {
    int from = block * blockRows;
    int to = Math.min(matrix.rows(), from + blockRows);
    Kernels.update().squares(matrix, from, to, sums, block);
  }

  private void scale(int block) {
    int count = FlatBlocks.length(FlatBlocks.floats(matrix), block);
    Kernels.update().scale(matrix, number, FlatBlocks.first(block), count);
  }

  private void clamp(int block) {
    int count = FlatBlocks.length(FlatBlocks.floats(matrix), block);
    Kernels.update().clamp(matrix, number, FlatBlocks.first(block), count);
  }
}
