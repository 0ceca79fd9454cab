package dev.heddle.train.settings;

import java.util.Locale;

/** How gradients of parameters look on their way between workers. */
public enum GradientCodec {
  /** As they are: four bytes a number. */
  FP32,
  /** Rounded to bfloat16 to be summed: two bytes a number. */
  BFLOAT16,
  /**
   * Rounded without bias to 8 bits on a grid of each row: four bytes a row and one a number. For
   * gradients that go from worker to worker, {@link Sync.Racom}.
   */
  BITS8;

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
