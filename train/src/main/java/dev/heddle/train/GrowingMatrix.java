package dev.heddle.train;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;

/** A matrix that is kept from batch to batch and replaced by a larger one when it must be. */
final class GrowingMatrix implements AutoCloseable {
  private final Memory beside;
  private final int cols;
  private Memory memory;
  private Matrix matrix;
  private int version;

  GrowingMatrix(Memory beside, int cols) {
    this.beside = beside;
    this.cols = cols;
    memory = beside.beside();
    matrix = Matrix.allocate(memory, 0, cols);
  }

  /** The matrix, with at least so many rows; what they hold is not kept. */
  Matrix require(int rows) {
    if (rows > matrix.rows()) {
      memory.close();
      memory = beside.beside();
      matrix = Matrix.allocate(memory, rows + rows / 8, cols);
      version++;
    }
    return matrix;
  }

  Matrix matrix() {
    return matrix;
  }

  /** Changes whenever the matrix is another. */
  int version() {
    return version;
  }

  @Override
  public void close() {
    memory.close();
  }
}
