package dev.heddle.train.halo;

import dev.heddle.graph.Aggregation;
import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;

/**
 * Sums over own rows that others are given instead of the rows: {@code p_v = Σ_u w_uv c_u x_u} over
 * this worker's neighbours {@code u} of their vertex {@code v}, with {@code c_u = d_u^-1/2} where
 * the aggregation is symmetric and else 1. Whoever gets a sum adds it to {@code v}'s, and then does
 * what is to be done with that. The adjoint: {@code ∂x_u += Σ_v w_uv c_u ∂p_v}.
 *
 * <p>Both are gathers within the matrix of a layer's sources, from its first rows to its last and
 * back: rows of {@link HaloLayout}.
 */
final class SumsForOthers {
  private final HaloLayout layout;
  private final Aggregation arcs;
  private final SumGather there;
  private final SumGather back;

  /**
   * Sums for one value.
   *
   * @param block the arcs of {@link HaloLayout#sums}; knows the {@code c_u}, and 1 for sums
   * @param partials scratch for hubs, as wide as the value
   */
  SumsForOthers(HaloLayout layout, Block block, Normalisation normalisation, Matrix partials) {
    this.layout = layout;
    // Of a mean, what is divided is the finished sum, by whoever finishes it.
    Normalisation ofArcs = normalisation == Normalisation.MEAN ? Normalisation.SUM : normalisation;
    arcs = block.forward(ofArcs);
    there = arcs.gather(partials).slice(layout.firstSum(), layout.sources());
    back = block.backward(ofArcs).gather(partials).slice(0, layout.own());
  }

  /** Makes the sums of rows. */
  void make(ThreadTeam team, Matrix rows) {
    there.run(team, rows, rows, false);
  }

  /** Adds what the sums' gradients are for own rows to these. */
  void giveBack(ThreadTeam team, Matrix gradient) {
    back.run(team, gradient, gradient, true);
  }

  /** What becomes of the variance of a row's gradient when it is given back, sum or not. */
  double weightBack(int row) {
    return row < layout.firstSum() ? 1 : arcs.squaredWeight(row);
  }
}
