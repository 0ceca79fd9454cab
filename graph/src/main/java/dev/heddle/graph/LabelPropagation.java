package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * Clusters of bounded size in linear time (Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; with
 * the size constraint of Meyerhenke, Sanders & Schulz, SEA 2014).
 *
 * <p>Every vertex begins as a cluster of its own. In each pass, every vertex in turn goes to the
 * cluster, among those with room for it, that most of its arcs come from.
 */
final class LabelPropagation {
  private static final int PASSES = 5;

  /** Passes end when fewer than one vertex in so many moves. */
  private static final int SETTLED = 50;

  private final Csr in;
  private final int[] weights;
  private final long capacity;
  private final long seed;
  private final int[] labels;
  private final long[] loads;

  /** Weight of a vertex's arcs by cluster: zero but while the vertex is looked at. */
  private final float[] scores;

  private final int[] seen;

  private LabelPropagation(Csr in, int[] weights, long capacity, long seed) {
    this.in = in;
    this.weights = weights;
    this.capacity = capacity;
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
    LabelPropagation propagation = new LabelPropagation(in, weights, capacity, seed);
    int moved = in.rows();
    for (int pass = 0; pass < PASSES && moved > in.rows() / SETTLED; pass++) {
      moved = propagation.pass(pass);
    }
    return propagation.numbered();
  }

  private int pass(int pass) {
    // Ties are broken by the clusters' hashes, other ones in each pass.
    long key = Draws.at(seed, pass);
    int moved = 0;
    for (int v = 0; v < labels.length; v++) {
      int own = labels[v];
      int best = best(v, own, key);
      if (best != own) {
        labels[v] = best;
        loads[own] -= weights[v];
        loads[best] += weights[v];
        moved++;
      }
    }
    return moved;
  }

  private int best(int v, int own, long key) {
    int clusters = 0;
    long end = in.offset(v + 1);
    for (long arc = in.offset(v); arc < end; arc++) {
      int label = labels[in.id(arc)];
      if (scores[label] == 0) {
        seen[clusters++] = label;
      }
      scores[label] += in.weight(arc);
    }
    int best = own;
    float bestScore = scores[own];
    long room = capacity - weights[v];
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
