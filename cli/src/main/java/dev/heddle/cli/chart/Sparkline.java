package dev.heddle.cli.chart;

import java.util.List;

/** A curve in one line of text: eighths of a block, the lowest value lowest. */
public final class Sparkline {
  private static final String BLOCKS = "▁▂▃▄▅▆▇█";

  private Sparkline() {}

  /**
   * Values from left to right, in the mean of those that share a column; those that are no numbers
   * are passed over.
   *
   * @param columns at the most
   */
  public static String of(List<Double> values, int columns) {
    List<Double> known = values.stream().filter(Double::isFinite).toList();
    int count = Math.min(columns, known.size());
    double[] means = new double[count];
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      int from = (int) ((long) i * known.size() / count);
      int to = (int) ((long) (i + 1) * known.size() / count);
      means[i] =
          known.subList(from, to).stream().mapToDouble(Double::doubleValue).average().orElse(0);
      low = Math.min(low, means[i]);
      high = Math.max(high, means[i]);
    }
    StringBuilder line = new StringBuilder(count);
    for (double mean : means) {
      double share = high > low ? (mean - low) / (high - low) : 0;
      line.append(BLOCKS.charAt((int) Math.round(share * (BLOCKS.length() - 1))));
    }
    return line.toString();
  }
}
