package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Features of which only the non-zero ones are stored.
 *
 * @param byRow {@code vertices × width}, weights being the values
 * @param byColumn the same transposed, for the gradient of a weight matrix
 */
public record SparseFeatures(Csr byRow, Csr byColumn) implements Features {

  /** Features from their rows. */
  public static SparseFeatures of(Memory memory, Csr byRow) {
    if (byRow.weights() == null) {
      throw new IllegalArgumentException("sparse features need values");
    }
    return new SparseFeatures(byRow, Transpose.of(memory, byRow));
  }

  @Override
  public int rows() {
    return byRow.rows();
  }

  @Override
  public int width() {
    return byRow.cols();
  }

  @Override
  public SparseFeatures rowNormalised(Memory memory) {
    MemorySegment values = memory.allocateFloats(byRow.arcs());
    for (int row = 0; row < rows(); row++) {
      long end = byRow.offset(row + 1);
      double sum = 0;
      for (long i = byRow.offset(row); i < end; i++) {
        sum += byRow.weight(i);
      }
      float scale = (float) (1 / Math.max(sum, 1));
      for (long i = byRow.offset(row); i < end; i++) {
        values.setAtIndex(JAVA_FLOAT, i, scale * byRow.weight(i));
      }
    }
    return of(memory, byRow.withWeights(values));
  }
}
