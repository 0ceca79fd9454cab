package dev.heddle.train.loop;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Looks for what is no number in a graph. Files are checked when they are read; a graph that a
 * program made is looked through when its loss is no number, before anything else is blamed.
 */
public final class NonFinite {
  private NonFinite() {}

  /** What of a graph is no number, and where; null if all of it are. */
  public static @Nullable String in(Graph graph) {
    String found = in("the weights of arcs", graph.in());
    if (found == null) {
      found =
          switch (graph.features()) {
            case DenseFeatures dense -> in("features", dense.matrix());
            case SparseFeatures sparse -> in("the values of sparse features", sparse.byRow());
            case null -> null;
          };
    }
    if (found == null && graph.labels() instanceof RealLabels real) {
      found = in("labels", real.values());
    }
    return found == null ? null : graph.name() + ": " + found;
  }

  private static @Nullable String in(String what, Matrix matrix) {
    for (int row = 0; row < matrix.rows(); row++) {
      for (int col = 0; col < matrix.cols(); col++) {
        float value = matrix.get(row, col);
        if (!Float.isFinite(value)) {
          return what + " have " + value + " in row " + row + ", column " + col;
        }
      }
    }
    return null;
  }

  private static @Nullable String in(String what, Csr csr) {
    MemorySegment weights = csr.weights();
    if (weights == null) {
      return null;
    }
    for (int row = 0; row < csr.rows(); row++) {
      for (long arc = csr.offset(row), end = csr.offset(row + 1); arc < end; arc++) {
        float value = weights.getAtIndex(JAVA_FLOAT, arc);
        if (!Float.isFinite(value)) {
          return what + " have " + value + " in row " + row + ", column " + csr.id(arc);
        }
      }
    }
    return null;
  }
}
