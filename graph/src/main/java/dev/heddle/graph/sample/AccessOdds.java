package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * How likely a batch reaches each vertex of the graph, without sampling one ("vertex inclusion
 * probability", SALIENT++, Kaler et al., MLSys 2023). With {@code q_0(v)} the probability that a
 * vertex is a seed, {@code d_v} its in-degree and {@code f_h} the fan-out of a hop,
 *
 * <pre>{@code
 * p_h(u) = 1 − Π_{u→v} (1 − q_{h−1}(v) · min(1, f_h/d_v))
 * q_h(u) = 1 − (1 − q_{h−1}(u)) · (1 − p_h(u))
 * }</pre>
 *
 * <p>All vertices that a batch has reached draw in every hop, hence {@code q} where the paper has
 * the last hop's {@code p}. Each of several workers adds the logarithms of its own vertices'
 * factors; the sum over all workers is the product.
 */
public final class AccessOdds {
  private final OwnArcs own;
  private final List<Integer> fanouts;
  private final int vertices;
  private final MemorySegment logs;
  private final MemorySegment odds;

  /** Odds by what a worker has of the arcs. */
  public AccessOdds(OwnArcs own, SampleSettings settings, Memory memory) {
    this.own = own;
    fanouts = settings.fanouts();
    vertices = own.in().rows();
    logs = memory.allocateFloats(vertices).asSlice(0, 4L * vertices);
    odds = memory.allocateFloats(vertices);
  }

  public int hops() {
    return fanouts.size();
  }

  /** Begins with seeds that are each in a batch with some probability. */
  public void begin(int[] seeds, float probability) {
    odds.fill((byte) 0);
    for (int seed : seeds) {
      odds.setAtIndex(JAVA_FLOAT, seed, probability);
    }
  }

  /**
   * Takes a hop from the vertices that are this worker's; returns a float for each vertex, to be
   * summed over all workers before {@link #finishHop}.
   */
  public MemorySegment startHop(int hop) {
    logs.fill((byte) 0);
    Csr in = own.in();
    int fanout = fanouts.get(hop);
    for (int v = 0; v < vertices; v++) {
      float reached = of(v);
      // Where all have all arcs, each still answers for its own vertices alone.
      if (reached > 0 && own.owners().partOf(v) == own.worker()) {
        long degree = in.degree(v);
        double drawn =
            fanout == SampleSettings.ALL || degree <= fanout ? 1 : (double) fanout / degree;
        float log = (float) Math.log1p(-Math.min(reached * drawn, 1 - 1e-7));
        for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
          int u = in.id(arc);
          // From itself, a vertex is reached only where it has been before.
          float added = u == v ? 0 : log;
          logs.setAtIndex(JAVA_FLOAT, u, logs.getAtIndex(JAVA_FLOAT, u) + added);
        }
      }
    }
    return logs;
  }

  /** Ends a hop whose sums are there. */
  public void finishHop() {
    for (int u = 0; u < vertices; u++) {
      double missed = (1 - of(u)) * Math.exp(logs.getAtIndex(JAVA_FLOAT, u));
      odds.setAtIndex(JAVA_FLOAT, u, (float) (1 - missed));
    }
  }

  /** The probability that a batch has reached a vertex by now. */
  public float of(int vertex) {
    return odds.getAtIndex(JAVA_FLOAT, vertex);
  }
}
