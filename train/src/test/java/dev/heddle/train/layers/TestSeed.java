package dev.heddle.train.layers;

import java.util.SplittableRandom;

/** Random numbers of a test: {@code -Dheddle.seed=n} repeats a run, else every run has its own. */
public final class TestSeed {
  private TestSeed() {}

  public static SplittableRandom random(Object test) {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println(test.getClass().getSimpleName() + " -Dheddle.seed=" + seed);
    return new SplittableRandom(seed);
  }
}
