package dev.heddle.kernel;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Random operands of gathers. */
final class RandomCase {
  private final SplittableRandom random;

  RandomCase(Object test) {
    random = TestSeed.random(test);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  float gaussian() {
    return (float) random.nextGaussian();
  }

  /** A matrix of normal values whose padding is NaN. */
  Matrix matrix(Memory memory, int rows, int cols) {
    return TestMatrix.gaussian(memory, random, rows, cols);
  }

  /**
   * Arcs with everything that goes wrong: rows without any, multi-arcs, and a hub that reaches
   * {@code hubArcs}.
   */
  Csr arcs(Memory memory, int rows, int cols, int hubArcs) {
    int[][] ids = new int[rows][];
    int hub = rows / 2;
    for (int r = 0; r < rows; r++) {
      int degree = r == hub ? hubArcs : r % 5 == 1 ? 0 : below(6);
      ids[r] = random.ints(degree, 0, cols).toArray();
      Arrays.sort(ids[r]);
    }
    return Csr.of(memory, cols, ids);
  }
}
