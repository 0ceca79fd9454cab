package dev.heddle.train.assign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The choices of a lane that no other one beats in both time and variance, the fastest first.
 *
 * <p>Groups come by the cost of their rows, and costlier ones never get fewer bits: a choice is how
 * many have 8 bits and how many at least 4. The variance of a row falls with its bits on a convex
 * curve, so that widening groups in the order of gain per byte passes the best choices but for
 * those in between, where the next step is too long. These are never far off its path: all that
 * have up to {@link #NEAR} groups more or fewer at 4 bits are looked at, which is every one there
 * is of a lane of as many groups, and linear in their number.
 */
final class Frontier {
  private static final int NEAR = 8;

  /**
   * How many groups have 8 bits, and how many at least 4.
   *
   * @param seconds that the lane takes
   * @param gain of variance over the choice before; for the first, minus all of it
   */
  record Choice(int eight, int four, double seconds, double gain) {}

  private final int groups;
  private final List<Choice> choices;

  private Frontier(int groups, List<Choice> choices) {
    this.groups = groups;
    this.choices = choices;
  }

  static Frontier of(Lane lane) {
    int n = lane.groups();
    if (n == 0) {
      return new Frontier(0, List.of());
    }
    Sums sums = new Sums(lane);
    List<Point> points = new ArrayList<>();
    int four = 0;
    for (int eight = 0; eight <= n; eight++) {
      int from = Math.max(eight, four - NEAR);
      while (four < n && (eight == n || lane.rate(four, 2, 4) >= lane.rate(eight, 4, 8))) {
        four++;
      }
      for (int f = from; f <= Math.min(n, four + NEAR); f++) {
        points.add(sums.point(eight, f));
      }
    }
    points.sort(Comparator.comparingDouble(Point::seconds).thenComparingDouble(Point::variance));
    List<Choice> best = new ArrayList<>();
    double variance = 0;
    for (Point point : points) {
      if (best.isEmpty() || point.variance < variance) {
        double gain = variance - point.variance;
        best.add(new Choice(point.eight, point.four, point.seconds, gain));
        variance = point.variance;
      }
    }
    return new Frontier(n, best);
  }

  private record Point(int eight, int four, double seconds, double variance) {}

  /** Of the first groups of a lane. */
  private static final class Sums {
    private final Lane lane;
    private final double[] costs;
    private final double[] rows;

    Sums(Lane lane) {
      this.lane = lane;
      int n = lane.groups();
      costs = new double[n + 1];
      rows = new double[n + 1];
      for (int g = 0; g < n; g++) {
        costs[g + 1] = costs[g] + lane.costs()[g];
        rows[g + 1] = rows[g] + lane.rows()[g];
      }
    }

    Point point(int eight, int four) {
      int n = lane.groups();
      double bytes = 0;
      double variance = 0;
      bytes += rows[eight] * lane.rowBytes(8);
      bytes += (rows[four] - rows[eight]) * lane.rowBytes(4);
      bytes += (rows[n] - rows[four]) * lane.rowBytes(2);
      variance += costs[eight] * Lane.perCost(8);
      variance += (costs[four] - costs[eight]) * Lane.perCost(4);
      variance += (costs[n] - costs[four]) * Lane.perCost(2);
      return new Point(eight, four, lane.link().seconds(bytes), variance);
    }
  }

  List<Choice> choices() {
    return choices;
  }

  /** The widths of groups by the best choice that takes no longer. */
  byte[] within(double seconds) {
    byte[] widths = widths(groups, 2);
    int last = choices.size() - 1;
    while (last >= 0 && choices.get(last).seconds > seconds) {
      last--;
    }
    if (last >= 0) {
      Arrays.fill(widths, 0, choices.get(last).four, (byte) 4);
      Arrays.fill(widths, 0, choices.get(last).eight, (byte) 8);
    }
    return widths;
  }

  static byte[] widths(int groups, int bits) {
    byte[] widths = new byte[groups];
    Arrays.fill(widths, (byte) bits);
    return widths;
  }
}
