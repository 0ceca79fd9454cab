package dev.heddle.cli.compare;

import java.util.List;

/** Measurements of one thing: in the middle, and how far apart. */
public record Sample(List<Double> sorted) {
  public Sample {
    sorted = sorted.stream().filter(Double::isFinite).sorted().toList();
  }

  boolean isEmpty() {
    return sorted.isEmpty();
  }

  /** NaN of none. */
  double mean() {
    return sorted.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  /** Of a sample, with one less below; NaN of fewer than two. */
  double deviation() {
    if (sorted.size() < 2) {
      return Double.NaN;
    }
    double mean = mean();
    double squares = sorted.stream().mapToDouble(each -> (each - mean) * (each - mean)).sum();
    return Math.sqrt(squares / (sorted.size() - 1));
  }

  double median() {
    return quantile(0.5);
  }

  /** The value below which a share lies, between two of them by proportion; NaN of none. */
  double quantile(double share) {
    if (sorted.isEmpty()) {
      return Double.NaN;
    }
    double place = share * (sorted.size() - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.size() - 1);
    double step = sorted.get(above) - sorted.get(below);
    return sorted.get(below) + (place - below) * step;
  }
}
