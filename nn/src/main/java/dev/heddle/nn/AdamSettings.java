package dev.heddle.nn;

/**
 * The constants of {@link Adam} and {@link AdamW}.
 *
 * @param beta1 what the mean of gradients keeps a step
 * @param beta2 what the mean of their squares keeps a step
 * @param epsilon added to the root of the latter
 * @param weightDecay pull towards zero, before a parameter's own multiplier
 */
public record AdamSettings(double beta1, double beta2, double epsilon, double weightDecay) {
  /** The paper's constants, without decay. */
  public static final AdamSettings DEFAULT = new AdamSettings(0.9, 0.999, 1e-8, 0);

  public AdamSettings {
    if (!(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1)) {
      throw new IllegalArgumentException(
          "Adam's betas are in [0, 1), not " + beta1 + " and " + beta2);
    }
    if (!(epsilon >= 0 && weightDecay >= 0)) {
      throw new IllegalArgumentException(
          "epsilon and weight decay are not negative, not " + epsilon + " and " + weightDecay);
    }
  }

  public AdamSettings withWeightDecay(double decay) {
    return new AdamSettings(beta1, beta2, epsilon, decay);
  }
}
