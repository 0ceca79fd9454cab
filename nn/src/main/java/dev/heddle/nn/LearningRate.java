package dev.heddle.nn;

/** The learning rate of every epoch; epochs count from 0. */
public sealed interface LearningRate {
  float at(int epoch);

  /** The same in every epoch. */
  record Constant(float rate) implements LearningRate {
    @Override
    public float at(int epoch) {
      return rate;
    }
  }

  /**
   * {@code rate · gamma^⌊epoch / every⌋}.
   *
   * @param rate the rate of the first epochs
   * @param every epochs from one drop to the next
   * @param gamma what a drop multiplies by
   */
  record Step(float rate, int every, float gamma) implements LearningRate {
    public Step {
      if (every < 1) {
        throw new IllegalArgumentException(
            "a learning rate drops every 1 or more epochs, not " + every);
      }
    }

    @Override
    public float at(int epoch) {
      int drops = epoch / every;
      return (float) (rate * Math.pow(gamma, drops));
    }
  }

  /**
   * Half a cosine (Loshchilov &amp; Hutter, <i>SGDR</i>, 2017) from {@code rate} down to {@code
   * floor}, after a linear warm-up. With {@code w} warm-up epochs of {@code n}, epoch {@code e} has
   * {@code rate·(e+1)/w} where {@code e < w}, then {@code floor + (rate − floor)·(1 +
   * cos(π·(e−w)/(n−w)))/2}; from epoch {@code n} on it is {@code floor}.
   */
  record Cosine(float rate, float floor, int epochs, int warmup) implements LearningRate {
    public Cosine {
      if (warmup < 0 || warmup >= epochs) {
        throw new IllegalArgumentException(
            "warm-up takes from 0 to fewer than all " + epochs + " epochs, not " + warmup);
      }
    }

    @Override
    public float at(int epoch) {
      if (epoch < warmup) {
        return rate * (epoch + 1) / warmup;
      }
      double done = Math.min(1, (epoch - warmup) / (double) (epochs - warmup));
      return (float) (floor + (rate - floor) * (1 + Math.cos(Math.PI * done)) / 2);
    }
  }
}
