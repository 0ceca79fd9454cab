package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * How likely a batch reaches each vertex of the graph, without sampling one ("vertex inclusion
 * probability", SALIENT++, Kaler et al., MLSys 2023). With {@code q_0(v)} the probability that a
 * vertex is a seed and {@code r_h(u→v)} that an arc is drawn in a hop by who is there,
 *
 * <pre>{@code
 * p_h(u) = 1 − Π_{u→v} (1 − q_{h−1}(v) · r_h(u→v))
 * q_h(u) = 1 − (1 − q_{h−1}(u)) · (1 − p_h(u))
 * }</pre>
 *
 * <p>With fan-out {@code f} and in-degree {@code d}, {@code r} is {@code min(1, f/d)}, with
 * replacement {@code 1 − (1 − 1/d)^f}; by weight and with replacement {@code 1 − (1 − w/Σw)^f}, and
 * without {@code 1 − e^(−wτ)}, with the {@code τ} for which {@code f} arcs are expected (Rosén's
 * approximation of drawing one by one, which is not known in closed form).
 *
 * <p>All vertices that a batch has reached draw in every hop, hence {@code q} where the paper has
 * the last hop's {@code p}. Each of several workers adds the logarithms of its own vertices'
 * factors; the sum over all workers is the product.
 */
public final class AccessOdds {
  private static final int MOST_STEPS = 50;

  private final OwnArcs own;
  private final List<Integer> fanouts;
  private final boolean replace;
  private final boolean byWeight;
  private final int vertices;
  private final MemorySegment logs;
  private final MemorySegment odds;

  /** Odds by what a worker has of the arcs. */
  public AccessOdds(OwnArcs own, SampleSettings settings, Memory memory) {
    if (settings.kind().layerwise()) {
      throw new IllegalArgumentException(
          "the " + settings.kind() + " sampler has no probability for each arc");
    }
    this.own = own;
    fanouts = settings.fanouts();
    replace = settings.replace();
    byWeight = settings.byWeight();
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
        boolean alike = !byWeight || fanout == SampleSettings.ALL;
        double common = alike ? probability(in.degree(v), fanout) : common(v, fanout);
        for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
          int u = in.id(arc);
          double drawn = alike ? common : probability(in.weight(arc), common, fanout);
          double log = Math.log1p(-Math.min(reached * drawn, 1 - 1e-7));
          // From itself, a vertex is reached only where it has been before.
          float added = u == v ? 0 : (float) log;
          logs.setAtIndex(JAVA_FLOAT, u, logs.getAtIndex(JAVA_FLOAT, u) + added);
        }
      }
    }
    return logs;
  }

  /** That one of so many arcs is drawn where all are alike. */
  private double probability(long degree, int fanout) {
    if (fanout == SampleSettings.ALL || (!replace && degree <= fanout)) {
      return 1;
    }
    return replace ? 1 - Math.pow(1 - 1.0 / degree, fanout) : (double) fanout / degree;
  }

  /** That an arc is drawn by its weight, given what all arcs of its vertex have in common. */
  private double probability(float weight, double common, int fanout) {
    if (weight <= 0) {
      return 0;
    }
    return replace ? 1 - Math.pow(1 - weight / common, fanout) : -Math.expm1(-weight * common);
  }

  /** With replacement the sum of a vertex's weights, else {@code τ}. */
  private double common(int vertex, int fanout) {
    Csr in = own.in();
    double sum = 0;
    int positive = 0;
    for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
      sum += Math.max(0, in.weight(arc));
      positive += in.weight(arc) > 0 ? 1 : 0;
    }
    if (replace) {
      return sum;
    }
    return positive <= fanout ? Double.POSITIVE_INFINITY : threshold(vertex, fanout);
  }

  /** Newton's method comes from below: the expected number is a concave function. */
  private double threshold(int vertex, int fanout) {
    Csr in = own.in();
    double tau = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
      double missing = fanout;
      double slope = 0;
      for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
        double weight = Math.max(0, in.weight(arc));
        missing += Math.expm1(-weight * tau);
        slope += weight * Math.exp(-weight * tau);
      }
      if (missing < 1e-6 || slope == 0) {
        break;
      }
      tau += missing / slope;
    }
    return tau;
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
