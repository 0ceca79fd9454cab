package dev.heddle.graph;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

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
    Matrix copy = Matrix.allocate(memory, rows(), width());
    MemorySegment.copy(matrix.data(), 0, copy.data(), 0, Matrix.bytes(rows(), width()));
    DenseFeatures features = new DenseFeatures(copy);
    features.normaliseRows();
    return features;
  }

  /** Divides each row by its sum, in place. */
  void normaliseRows() {
    for (int row = 0; row < rows(); row++) {
      long first = (long) row * matrix.stride();
      RowSum.divide(matrix.data(), first, first + width());
    }
  }
}
