package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.SourceOrder;
import dev.heddle.kernel.SumGather;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a normalised aggregation over a {@link Block}: {@code out[v] = rowScale[v] ·
 * Σ_{u ∈ arcs[v]} coefficients(u→v) · x[u]}.
 *
 * @param rowScale floats, one per row; none for 1
 * @param order how sources that exceed memory are gone through; null where they are gathered
 */
public record Aggregation(
    Csr arcs,
    Coefficients coefficients,
    @Nullable MemorySegment rowScale,
    @Nullable SourceOrder order) {

  /**
   * The kernel that computes it.
   *
   * @param partials scratch for hubs, see {@link SumGather#over}
   */
  public SumGather gather(Matrix partials) {
    return SumGather.over(arcs, coefficients, rowScale, partials).through(order);
  }

  /** The sum of the squares of what all arcs of a row count. */
  public double squaredWeight(int row) {
    double sum = 0;
    for (long arc = arcs.offset(row), end = arcs.offset(row + 1); arc < end; arc++) {
      double value = coefficients.at(arc, arcs.id(arc));
      sum += value * value;
    }
    double scale = rowScale == null ? 1 : rowScale.getAtIndex(JAVA_FLOAT, row);
    return scale * scale * sum;
  }
}
