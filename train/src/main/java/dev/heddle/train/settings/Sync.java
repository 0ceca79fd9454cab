package dev.heddle.train.settings;

/** When workers sum the gradients of parameters, and how. */
public sealed interface Sync {
  /** Sums in every step, of float32. */
  Sync DEFAULT = new EveryStep(false);

  /**
   * All workers sum theirs before each step, and go on with the same parameters.
   *
   * @param halfSums whether gradients are rounded to bfloat16 to be summed: half the bytes
   */
  record EveryStep(boolean halfSums) implements Sync {
    @Override
    public String kind() {
      return "every-step";
    }
  }

  /** The name users write. */
  String kind();

  /** Whether gradients of parameters are rounded to bfloat16 to be summed. */
  boolean halfSums();
}
