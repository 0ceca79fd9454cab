package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

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

  @Override
  public DenseFeatures columns(Memory memory, int[] columns) {
    Matrix chosen = Matrix.allocate(memory, rows(), columns.length);
    for (int row = 0; row < rows(); row++) {
      long from = (long) row * matrix.stride();
      long to = (long) row * chosen.stride();
      for (int c = 0; c < columns.length; c++) {
        float value = matrix.data().getAtIndex(JAVA_FLOAT, from + columns[c]);
        chosen.data().setAtIndex(JAVA_FLOAT, to + c, value);
      }
    }
    return new DenseFeatures(chosen);
  }

  /** Divides each row by its sum, in place. */
  void normaliseRows() {
    for (int row = 0; row < rows(); row++) {
      long first = (long) row * matrix.stride();
      RowSum.divide(matrix.data(), first, first + width());
    }
  }
}
