package dev.heddle.cli.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One direction of a chart: which values it shows, and at which it has a line. Lines are at 1, 2 or
 * 5 times a power of ten; on a logarithmic axis at powers of ten, and at 2 and 5 times them where
 * there are few.
 */
final class Axis {
  private static final int LINES = 6;

  /** With fewer lines at powers of ten, a logarithmic axis has them at equal steps. */
  private static final int FEWEST = 3;

  private final double low;
  private final double high;
  private final boolean logarithmic;

  private Axis(double low, double high, boolean logarithmic) {
    this.low = low;
    this.high = high;
    this.logarithmic = logarithmic;
  }

  /** An axis for some values; it is logarithmic only where all of them are positive. */
  static Axis of(double[] values, boolean logarithmic) {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (double value : values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (values.length == 0) {
      return new Axis(0, 1, false);
    }
    if (low == high) {
      // A line in the middle, of values of any size.
      double room = low == 0 ? 1 : Math.abs(low) / 2;
      return new Axis(low - room, high + room, false);
    }
    return new Axis(low, high, logarithmic && low > 0);
  }

  boolean logarithmic() {
    return logarithmic;
  }

  /** Where a value lies, from 0 to 1. */
  double share(double value) {
    return logarithmic
        ? Math.log(value / low) / Math.log(high / low)
        : (value - low) / (high - low);
  }

  /** The values with lines. */
  List<Double> lines() {
    if (!logarithmic) {
      return steps();
    }
    List<Double> powers = powers();
    return powers.size() >= FEWEST ? powers : steps();
  }

  private List<Double> steps() {
    double rough = (high - low) / LINES;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double step =
        power * (rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10);
    List<Double> lines = new ArrayList<>();
    for (long i = (long) Math.ceil(low / step); i * step <= high; i++) {
      lines.add(i * step);
    }
    return lines;
  }

  private List<Double> powers() {
    int first = (int) Math.floor(Math.log10(low));
    int last = (int) Math.ceil(Math.log10(high));
    double[] within = last - first <= 3 ? new double[] {1, 2, 5} : new double[] {1};
    int skip = Math.max(1, (last - first) / LINES);
    List<Double> lines = new ArrayList<>();
    for (int power = first; power <= last; power += skip) {
      for (double times : within) {
        double value = times * Math.pow(10, power);
        if (value >= low && value <= high) {
          lines.add(value);
        }
      }
    }
    return lines;
  }

  /** A value as it stands beside its line. */
  static String label(double value) {
    if (value == 0) {
      return "0";
    }
    double size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3) {
      return String.format(Locale.ROOT, "%.2g", value).replace("e+0", "e").replace("e-0", "e-");
    }
    String plain = String.format(Locale.ROOT, "%.4f", value);
    return plain.replaceAll("0+$", "").replaceAll("[.]$", "");
  }
}
