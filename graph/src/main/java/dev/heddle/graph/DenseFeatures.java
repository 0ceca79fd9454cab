package dev.heddle.graph;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;

/** Features stored in full: {@code vertices × width}. */
public record DenseFeatures(Matrix matrix) implements Features {
  @Override
  public int rows() {
    return matrix.rows();
  }

  @Override
  public int width() {
    return matrix.cols();
  }

  @Override
  public DenseFeatures rowNormalised(Memory memory) {
    Matrix normalised = Matrix.allocate(memory, rows(), width());
    for (int row = 0; row < rows(); row++) {
      double sum = 0;
      for (int col = 0; col < width(); col++) {
        sum += matrix.get(row, col);
      }
      float scale = (float) (1 / Math.max(sum, 1));
      for (int col = 0; col < width(); col++) {
        normalised.set(row, col, scale * matrix.get(row, col));
      }
    }
    return new DenseFeatures(normalised);
  }
}
