package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * Clusters of bounded size in linear time (Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; with
 * the size constraint of Meyerhenke, Sanders & Schulz, SEA 2014).
 *
 * <p>Every vertex begins as a cluster of its own. In each pass, every vertex in turn goes to the
 * cluster, among those with room for it, that most of its arcs come from. Arcs of no or negative
 * weight do not count.
 */
final class LabelPropagation {
  private static final int PASSES = 5;

  /** Passes end when fewer than one vertex in so many moves. */
  private static final int SETTLED = 50;

  private final Csr in;
  private final int[] weights;
  private final long seed;
  private final int[] labels;
  private final long[] loads;

  /** Weight of a vertex's arcs by cluster: zero but while the vertex is looked at. */
  private final float[] scores;

  private final int[] seen;

  private LabelPropagation(Csr in, int[] weights, long seed) {
    this.in = in;
    this.weights = weights;
    this.seed = seed;
    this.labels = new int[in.rows()];
    this.loads = new long[in.rows()];
    this.scores = new float[in.rows()];
    this.seen = new int[in.rows()];
    for (int v = 0; v < labels.length; v++) {
      labels[v] = v;
      loads[v] = weights[v];
    }
  }

  /**
   * The cluster of each vertex, numbered in the order of their first vertices.
   *
   * @param weights how much of a cluster's capacity each vertex takes
   */
  static int[] clusters(Csr in, int[] weights, long capacity, long seed) {
    LabelPropagation propagation = new LabelPropagation(in, weights, seed);
    // Labels spread before there are communities to hold them: with little room at first, none runs
    // over several communities.
    propagation.pass(0, capacity / 4);
    int moved = in.rows();
    for (int pass = 1; pass < PASSES && moved > in.rows() / SETTLED; pass++) {
      moved = propagation.pass(pass, capacity);
    }
    return propagation.numbered();
  }

  private int pass(int pass, long capacity) {
    // Ties are broken by the clusters' hashes, other ones in each pass.
    long key = Draws.at(seed, pass);
    int moved = 0;
    for (int v = 0; v < labels.length; v++) {
      int own = labels[v];
      int best = best(v, capacity - weights[v], key);
      if (best != own) {
        labels[v] = best;
        loads[own] -= weights[v];
        loads[best] += weights[v];
        moved++;
      }
    }
    return moved;
  }

  private int best(int v, long room, long key) {
    int clusters = 0;
    long end = in.offset(v + 1);
    for (long arc = in.offset(v); arc < end; arc++) {
      int label = labels[in.id(arc)];
      float weight = in.weight(arc);
      if (weight > 0) {
        if (scores[label] == 0) {
          seen[clusters++] = label;
        }
        scores[label] += weight;
      }
    }
    int own = labels[v];
    int best = own;
    float bestScore = scores[own];
    for (int i = 0; i < clusters; i++) {
      int label = seen[i];
      float score = scores[label];
      scores[label] = 0;
      if (score >= bestScore && score > 0 && label != own && loads[label] <= room) {
        if (score > bestScore || Draws.mix(key ^ label) < Draws.mix(key ^ best)) {
          best = label;
          bestScore = score;
        }
      }
    }
    return best;
  }

  private int[] numbered() {
    int[] numbers = new int[labels.length];
    int[] clusters = new int[labels.length];
    int count = 0;
    for (int v = 0; v < labels.length; v++) {
      // Zero stands for no number yet.
      if (numbers[labels[v]] == 0) {
        numbers[labels[v]] = ++count;
      }
      clusters[v] = numbers[labels[v]] - 1;
    }
    return clusters;
  }
}
