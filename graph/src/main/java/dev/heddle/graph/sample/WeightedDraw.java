package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * So many in-arcs in proportion to their weights, all where there are no more; arcs that weigh
 * nothing are never taken.
 *
 * <p>With replacement every arc drawn stands for {@code Σw/s}. Without, arcs are drawn one by one
 * from those left: the {@code s} lowest of the ranks {@code −ln(u)/w} (Efraimidis & Spirakis,
 * 2006). Given the rank {@code τ} of the first arc not taken, an arc is taken with probability
 * {@code 1 − e^(−wτ)}, so that it stands for {@code w} divided by that (Cohen & Kaplan, PODC 2007).
 */
record WeightedDraw(Csr arcs, int fanout, boolean replace) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    int positive = 0;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      positive += arcs.weight(arc) > 0 ? 1 : 0;
    }
    return replace ? (positive == 0 ? 0 : fanout) : Math.min(positive, fanout);
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    int count = count(vertex, key);
    if (count == 0) {
      return;
    }
    long own = Draws.at(key, vertex);
    if (replace) {
      withReplacement(vertex, own, into, at);
    } else {
      lowestRanks(vertex, own, count, into, at);
    }
  }

  private void withReplacement(int vertex, long key, DrawnArcs into, long at) {
    long first = arcs.offset(vertex);
    int degree = (int) arcs.degree(vertex);
    double[] sums = RankedArcs.ofThread(degree).ranks();
    double sum = 0;
    for (int i = 0; i < degree; i++) {
      sum += Math.max(0, arcs.weight(first + i));
      sums[i] = sum;
    }
    for (int i = 0; i < fanout; i++) {
      double point = Draws.unitDouble(Draws.at(key, i)) * sum;
      int low = 0;
      int high = degree - 1;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (sums[middle] > point) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      into.put(at + i, arcs.id(first + low), (float) (sum / fanout));
    }
  }

  private void lowestRanks(int vertex, long key, int count, DrawnArcs into, long at) {
    long first = arcs.offset(vertex);
    int degree = (int) arcs.degree(vertex);
    RankedArcs lowest = RankedArcs.ofThread(degree);
    // One more than taken: the lowest rank of those left out.
    lowest.begin(count + 1);
    for (int i = 0; i < degree; i++) {
      float weight = arcs.weight(first + i);
      if (weight > 0) {
        double u = 1 - Draws.unitDouble(Draws.at(key, i));
        lowest.offer(-Math.log(u) / weight, i);
      }
    }
    double threshold = lowest.size() > count ? lowest.removeHighest() : Double.POSITIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      int position = lowest.position(i);
      double weight = arcs.weight(first + position);
      double chance = -Math.expm1(-weight * threshold);
      into.put(at + i, arcs.id(first + position), (float) (weight / chance));
    }
  }
}
