package dev.heddle.graph;

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
    values(byRow);
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
    MemorySegment copy = memory.allocateFloats(byRow.arcs());
    MemorySegment.copy(values(byRow), 0, copy, 0, byRow.arcs() * Float.BYTES);
    Csr normalised = byRow.withWeights(copy);
    normaliseRows(normalised);
    return of(memory, normalised);
  }

  @Override
  public SparseFeatures columns(Memory memory, int[] columns) {
    CsrBuilder chosen = new CsrBuilder(memory, columns.length, rows());
    for (int c = 0; c < columns.length; c++) {
      chosen.count(c, byColumn.offset(columns[c] + 1) - byColumn.offset(columns[c]));
    }
    chosen.counted(true);
    for (int c = 0; c < columns.length; c++) {
      long end = byColumn.offset(columns[c] + 1);
      for (long value = byColumn.offset(columns[c]); value < end; value++) {
        chosen.put(c, byColumn.id(value), byColumn.weight(value));
      }
    }
    Csr transposed = chosen.build();
    return new SparseFeatures(Transpose.of(memory, transposed), transposed);
  }

  /** Divides each row by its sum, in place. */
  static void normaliseRows(Csr byRow) {
    MemorySegment values = values(byRow);
    for (int row = 0; row < byRow.rows(); row++) {
      RowSum.divide(values, byRow.offset(row), byRow.offset(row + 1));
    }
  }

  private static MemorySegment values(Csr byRow) {
    MemorySegment values = byRow.weights();
    if (values == null) {
      throw new IllegalArgumentException("sparse features need values");
    }
    return values;
  }
}
