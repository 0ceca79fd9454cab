package dev.heddle.nn;

/**
 * The constants of {@link Sgd}.
 *
 * @param momentum what the velocity keeps a step; 0 is plain gradient descent
 * @param nesterov whether to step from where the velocity leads
 * @param weightDecay pull towards zero, before a parameter's own multiplier
 */
public record SgdSettings(double momentum, boolean nesterov, double weightDecay) {
  public SgdSettings {
    if (!(momentum >= 0 && weightDecay >= 0)) {
      throw new IllegalArgumentException(
          "momentum and weight decay are not negative, not " + momentum + " and " + weightDecay);
    }
  }

  /** Without Nesterov's correction and without decay. */
  public static SgdSettings momentum(double momentum) {
    return new SgdSettings(momentum, false, 0);
  }

  public SgdSettings withWeightDecay(double decay) {
    return new SgdSettings(momentum, nesterov, decay);
  }
}
