package dev.heddle.train.batch;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;

/** A matrix that is kept from batch to batch and replaced by a larger one when it must be. */
public final class GrowingMatrix implements AutoCloseable {
  private final Memory beside;
  private final int cols;
  private Memory memory;
  private Matrix matrix;
  private int version;

  public GrowingMatrix(Memory beside, int cols) {
    this.beside = beside;
    this.cols = cols;
    memory = beside.child();
    matrix = Matrix.allocate(memory, 0, cols);
  }

  /** The matrix, with at least so many rows; what they hold is not kept. */
  public Matrix require(int rows) {
    if (rows > matrix.rows()) {
      memory.close();
      memory = beside.child();
      matrix = Matrix.allocate(memory, rows + rows / 8, cols);
      version++;
    }
    return matrix;
  }

  /** The matrix as it is now. */
  public Matrix matrix() {
    return matrix;
  }

  /** Changes whenever the matrix is another. */
  public int version() {
    return version;
  }

  /** Bytes there are now. */
  public long bytes() {
    return memory.bytes();
  }

  @Override
  public void close() {
    memory.close();
  }
}
