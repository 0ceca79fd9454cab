package dev.heddle.train.layers;

import dev.heddle.nn.Model;
import dev.heddle.train.settings.LayerSplit;
import java.util.Arrays;

/**
 * Which sections of a model each stage has: consecutive ones, so that the stage that costs most
 * costs as little as can be. Where a model is cut changes no bit.
 */
public final class StageCut {
  /** The first section of each stage, and behind them the number of sections. */
  private final int[] first;

  private StageCut(int[] first) {
    this.first = first;
  }

  /** Refuses more stages than there is something for, and costs of another model. */
  static void check(Model model, LayerSplit split) {
    int stages = split.stages();
    int costs = split.costs().size();
    if (costs > 0 && costs != model.sections()) {
      throw new IllegalArgumentException(
          model.spec().kind()
              + " of "
              + model.spec().layers()
              + " layers has "
              + model.sections()
              + " sections, and --section-costs says what "
              + costs
              + " cost");
    }
    if (model.sections() < stages) {
      throw new IllegalArgumentException(
          model.spec().kind()
              + " of "
              + model.spec().layers()
              + " layers can be cut into "
              + model.sections()
              + " stages at most: use fewer --stages than "
              + stages);
    }
  }

  /** A cut that is known. */
  static StageCut of(int[] first) {
    return new StageCut(first.clone());
  }

  /**
   * The best cut, by dynamic programming over ends of stages: {@code best(s, e) = min over b of
   * max(best(s − 1, b), cost(b..e))}.
   */
  static StageCut best(double[] costs, int stages) {
    int n = costs.length;
    double[] upTo = new double[n + 1];
    for (int i = 0; i < n; i++) {
      upTo[i + 1] = upTo[i] + costs[i];
    }
    double[][] best = new double[stages + 1][n + 1];
    int[][] begins = new int[stages + 1][n + 1];
    Arrays.fill(best[0], Double.POSITIVE_INFINITY);
    best[0][0] = 0;
    for (int s = 1; s <= stages; s++) {
      Arrays.fill(best[s], Double.POSITIVE_INFINITY);
      for (int end = s; end <= n; end++) {
        for (int begin = s - 1; begin < end; begin++) {
          double cost = Math.max(best[s - 1][begin], upTo[end] - upTo[begin]);
          if (cost < best[s][end]) {
            best[s][end] = cost;
            begins[s][end] = begin;
          }
        }
      }
    }
    int[] first = new int[stages + 1];
    first[stages] = n;
    for (int s = stages; s > 0; s--) {
      first[s - 1] = begins[s][first[s]];
    }
    return new StageCut(first);
  }

  /** The first section of a stage. */
  int from(int stage) {
    return first[stage];
  }

  /** The one after a stage's last. */
  int to(int stage) {
    return first[stage + 1];
  }

  /** The stage that has a section. */
  int stageOf(int section) {
    int stage = 0;
    while (section >= first[stage + 1]) {
      stage++;
    }
    return stage;
  }

  int stages() {
    return first.length - 1;
  }

  int[] toArray() {
    return first.clone();
  }
}
