package dev.heddle.train.batch;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import java.util.List;

/** What a worker has of features that are spread over all. */
public sealed interface OwnFeatures {
  /**
   * Rows of one matrix or several.
   *
   * @param paged whether they lie in a file that may exceed memory
   */
  record Dense(List<Column> columns, boolean paged) implements OwnFeatures {
    public Dense {
      columns = List.copyOf(columns);
    }
  }

  /** One of the matrices, and how its rows travel. */
  record Column(Matrix own, RowForm form) {}

  /** Rows of a sparse matrix. */
  record Sparse(Csr own) implements OwnFeatures {}
}
