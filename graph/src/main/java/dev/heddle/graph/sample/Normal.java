package dev.heddle.graph.sample;

/** The standard normal distribution. */
final class Normal {
  private static final double ROOT = Math.sqrt(2 * Math.PI);

  private Normal() {}

  /** The share of draws below {@code x}, by Taylor's series around 0 for the half above it. */
  static double cdf(double x) {
    double sum = x;
    double term = x;
    double before = 0;
    for (int i = 3; sum != before; i += 2) {
      before = sum;
      term *= x * x / i;
      sum += term;
    }
    return 0.5 + sum * density(x);
  }

  private static double density(double x) {
    return Math.exp(-x * x / 2) / ROOT;
  }

  /**
   * The value that a share of draws is below, from 1e-12 to 1 − 1e-12. Newton's method from 0,
   * where the distribution function bends towards the value that is sought: no step passes it.
   */
  static double quantile(double share) {
    double x = 0;
    double before = Double.NaN;
    for (int i = 0; i < 200 && x != before; i++) {
      before = x;
      double step = (cdf(x) - share) / density(x);
      if (Math.abs(step) < 1e-15) {
        break;
      }
      x -= step;
    }
    return x;
  }
}
