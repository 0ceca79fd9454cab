package dev.heddle.kernel;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Random operands for tests. The seed is printed, and taken back with {@code -Dheddle.seed=}. */
final class RandomCase {
  private final SplittableRandom random;

  RandomCase() {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println("heddle.seed=" + seed);
    random = new SplittableRandom(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  float gaussian() {
    return (float) random.nextGaussian();
  }

  /** A matrix of normal values whose padding is NaN, so that nothing can depend on it unseen. */
  Matrix matrix(Memory memory, int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    m.fill(Float.NaN);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, gaussian());
      }
    }
    return m;
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
