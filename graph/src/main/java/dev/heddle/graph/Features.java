package dev.heddle.graph;

import dev.heddle.kernel.Memory;

/** The input rows of all vertices, as they came: dense, or sparse and never made dense. */
public sealed interface Features permits DenseFeatures, SparseFeatures {
  /** Vertices. */
  int rows();

  /** Columns. */
  int width();

  /**
   * Every row divided by its sum, or by 1 where the sum is less: the usual treatment of bags of
   * words ({@code NormalizeFeatures} of PyTorch Geometric).
   */
  Features rowNormalised(Memory memory);

  /** Some of the columns in another order: column c of the result is {@code columns[c]} of this. */
  Features columns(Memory memory, int[] columns);
}
