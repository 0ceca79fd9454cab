package dev.heddle.train.batch;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import java.util.List;

/** What a worker has of features that are spread over all. */
public sealed interface OwnFeatures {
  /** Rows of one matrix or several, a row for each vertex of the part. */
  record Dense(List<Matrix> own) implements OwnFeatures {
    public Dense {
      own = List.copyOf(own);
    }
  }

  /** Rows of a sparse matrix, a row for each vertex of the part. */
  record Sparse(Csr own) implements OwnFeatures {}
}
