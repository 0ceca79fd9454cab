package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import org.jspecify.annotations.Nullable;

/**
 * LABOR whose batches depend on those before (Balin, LaSalle & Çatalyürek, "Cooperative
 * Minibatching in Graph Neural Networks", 2023): a source's draw moves slowly from batch to batch,
 * so that batches that follow each other take mostly the same sources.
 *
 * <p>{@code r_u = Φ(cos(πc/2) n(s₀, u) + sin(πc/2) n(s₁, u))} with standard normals n and c from 0
 * to 1 over κ batches, after which s₁ takes the place of s₀. Each r_u is uniform, so that every
 * batch by itself is as {@link LaborDraw} has it. Instead of {@code r_u ≤ k/d_v}, normals are
 * compared with {@code Φ⁻¹(k/d_v)}.
 *
 * @param limits {@code Φ⁻¹(fanout/d)} of degrees d from 0 on
 */
@SuppressWarnings("ArrayRecordComponent") // Read for every vertex.
record DependentLaborDraw(Csr arcs, int fanout, int kappa, double[] limits) implements ArcDraw {
  /** Of larger degrees limits are computed when they are needed. */
  private static final int DEGREES = 1024;

  static DependentLaborDraw of(Csr arcs, int fanout, int kappa) {
    double[] limits = new double[DEGREES];
    for (int degree = fanout + 1; degree < DEGREES; degree++) {
      limits[degree] = Normal.quantile((double) fanout / degree);
    }
    return new DependentLaborDraw(arcs, fanout, kappa, limits);
  }

  private double limit(long degree) {
    return degree < DEGREES ? limits[(int) degree] : Normal.quantile((double) fanout / degree);
  }

  @Override
  public int count(int vertex, long key) {
    long degree = arcs.degree(vertex);
    return degree <= fanout ? (int) degree : take(vertex, key, null, 0);
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    if (arcs.degree(vertex) <= fanout) {
      AllArcs.copy(arcs, vertex, into, at);
    } else {
      int _ = take(vertex, key, into, at);
    }
  }

  /** Counts the arcs taken, and writes them where there is somewhere to. */
  private int take(int vertex, long key, @Nullable DrawnArcs into, long at) {
    long stretch = HopKey.count(key) / kappa;
    double angle = Math.PI / 2 * (HopKey.count(key) % kappa) / kappa;
    double cos = Math.cos(angle);
    double sin = Math.sin(angle);
    long before = HopKey.ofStretch(key, stretch);
    long after = HopKey.ofStretch(key, stretch + 1);
    double limit = limit(arcs.degree(vertex));
    float times = (float) arcs.degree(vertex) / fanout;
    int count = 0;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      int source = arcs.id(arc);
      double normal = cos * Draws.gaussian(before, source) + sin * Draws.gaussian(after, source);
      if (normal < limit) {
        if (into != null) {
          into.take(at + count, arcs, arc, times);
        }
        count++;
      }
    }
    return count;
  }
}
