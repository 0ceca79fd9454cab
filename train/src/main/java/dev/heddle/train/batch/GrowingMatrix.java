package dev.heddle.train.batch;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;

/** A matrix that is kept from batch to batch and replaced by a larger one when it must be. */
final class GrowingMatrix {
  private final Memory parent;
  private final int cols;
  private Memory memory;
  private Matrix matrix;

  GrowingMatrix(Memory parent, int cols) {
    this.parent = parent;
    this.cols = cols;
    memory = parent.child();
    matrix = Matrix.allocate(memory, 0, cols);
  }

  /** The matrix, with at least so many rows; what they hold is not kept. */
  Matrix require(int rows) {
    if (rows > matrix.rows()) {
      memory.close();
      memory = parent.child();
      matrix = Matrix.allocate(memory, rows + rows / 8, cols);
    }
    return matrix;
  }

  /** The matrix as it is now. */
  Matrix matrix() {
    return matrix;
  }
}
