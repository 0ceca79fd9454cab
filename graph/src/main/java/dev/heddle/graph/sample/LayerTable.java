package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The vertices that are drawn for a layer, and how many each stands for: sums over them have sums
 * over all vertices as their expectation.
 *
 * <p>With replacement a vertex that comes {@code m} times in {@code s} draws stands for {@code
 * m/(s·p)}. Without, vertices come one after another, each with its probability among those left.
 * The estimate that trusts the {@code k}-th of them, {@code x_1 + … + x_{k−1} + x_k (1 − p_1 − … −
 * p_{k−1})/p_k}, is unbiased for each {@code k} (Des Raj, 1956), and so is any mean of them with
 * fixed weights: Chen et al. (arXiv 2206.00583) mix the {@code k}-th to those before it by {@code
 * α_k = n/((n − k + 1) k)} of {@code n} vertices, which comes to the exact sum when all are drawn.
 */
final class LayerTable {
  /** So many draws for each vertex wanted; then those left are looked at one by one. */
  private static final int PATIENCE = 8;

  private final MemorySegment times;
  private int[] chosen = new int[64];
  private int count;

  /** Probabilities of those chosen without replacement. */
  private double[] odds = new double[64];

  private final LowestRanks ranks = new LowestRanks();

  /** A table of so many vertices, four bytes each. */
  LayerTable(int vertices, Memory memory) {
    times = memory.allocateFloats(vertices);
  }

  /** How many a vertex stands for; 0 where it is not drawn. */
  float times(int vertex) {
    return times.getAtIndex(JAVA_FLOAT, vertex);
  }

  private void clear() {
    for (int i = 0; i < count; i++) {
      times.setAtIndex(JAVA_FLOAT, chosen[i], 0);
    }
    count = 0;
  }

  /** Draws vertices in the place of those before. */
  void draw(Distribution from, int draws, boolean debias, long key) {
    if (debias) {
      drawDistinct(from, draws, key);
    } else {
      drawWithReplacement(from, draws, key);
    }
  }

  /** Draws with replacement, in the place of what was drawn before. */
  private void drawWithReplacement(Distribution from, int draws, long key) {
    clear();
    for (int i = 0; i < draws; i++) {
      int index = from.at(Draws.unitDouble(Draws.at(key, i)));
      int vertex = from.vertex(index);
      if (times(vertex) == 0) {
        add(vertex, 0);
      }
      float each = (float) (1 / (draws * from.odds(index)));
      times.setAtIndex(JAVA_FLOAT, vertex, times(vertex) + each);
    }
  }

  /** Draws one by one without replacement, in the place of what was drawn before. */
  private void drawDistinct(Distribution from, int wanted, long key) {
    clear();
    // What has come already is drawn again: then each comes with its probability among those left.
    for (int i = 0; count < wanted && i < PATIENCE * wanted; i++) {
      int index = from.at(Draws.unitDouble(Draws.at(key, i)));
      mark(from, index);
    }
    if (count < wanted) {
      // The order of ranks −ln(u)/p is one by one, too (Efraimidis & Spirakis, 2006).
      ranks.begin(wanted - count);
      long others = Draws.at(key, -1);
      for (int index = 0; index < from.size(); index++) {
        double p = from.odds(index);
        if (p > 0 && times(from.vertex(index)) == 0) {
          double unit = 1 - Draws.unitDouble(Draws.at(others, index));
          ranks.offer(-Math.log(unit) / p, index);
        }
      }
      ranks.sort();
      for (int i = 0; i < ranks.count(); i++) {
        mark(from, ranks.index(i));
      }
    }
    debias(from.positive());
  }

  private void mark(Distribution from, int index) {
    int vertex = from.vertex(index);
    if (times(vertex) == 0) {
      times.setAtIndex(JAVA_FLOAT, vertex, 1);
      add(vertex, from.odds(index));
    }
  }

  private void add(int vertex, double probability) {
    if (count == chosen.length) {
      chosen = Arrays.copyOf(chosen, 2 * count);
      odds = Arrays.copyOf(odds, 2 * count);
    }
    chosen[count] = vertex;
    odds[count++] = probability;
  }

  /**
   * Writes what vertices drawn one by one stand for. Mixing in the estimate of vertex {@code k}
   * takes what one before it stands for from {@code w} to {@code 1 + (w − 1)(1 − α_k)}; over all
   * that follow the {@code i}-th of {@code s}, the factors come to {@code i (n − s)/(s (n − i))}.
   */
  private void debias(double n) {
    double s = count;
    double left = 1;
    for (int i = 1; i <= count; i++) {
      double p = odds[i - 1];
      double alone = n / ((n - i + 1) * i) * Math.max(left, p) / p;
      double rest = i == count ? 1 : i * (n - s) / (s * (n - i));
      double weight = 1 + (alone - 1) * rest;
      times.setAtIndex(JAVA_FLOAT, chosen[i - 1], (float) weight);
      left -= p;
    }
  }
}
