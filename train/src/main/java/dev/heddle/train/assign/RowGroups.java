package dev.heddle.train.assign;

import java.util.stream.IntStream;

/**
 * Rows that go from one worker to another, those of like cost together: sorted by what rounding
 * them costs, the most first, and cut into groups for which one decision is made. Groups are as few
 * as can be and of equal size, but for one row: a small one for what is left over would at times be
 * worth more bits than costlier ones, which must not be.
 */
public final class RowGroups {
  private final int[] order;
  private final int size;
  private final double[] costs;

  private RowGroups(int[] order, int size, double[] costs) {
    this.order = order;
    this.size = size;
    this.costs = costs;
  }

  /**
   * Groups of at most {@code size} rows.
   *
   * @param rowCosts β of each row: its variance at b bits is {@code β / (2^b − 1)²}
   */
  public static RowGroups of(double[] rowCosts, int size) {
    int[] order =
        IntStream.range(0, rowCosts.length)
            .boxed()
            .sorted((a, b) -> Double.compare(rowCosts[b], rowCosts[a]))
            .mapToInt(Integer::intValue)
            .toArray();
    double[] costs = new double[count(rowCosts.length, size)];
    for (int g = 0; g < costs.length; g++) {
      for (int i = start(g, order.length, size); i < start(g + 1, order.length, size); i++) {
        costs[g] += rowCosts[order[i]];
      }
    }
    return new RowGroups(order, size, costs);
  }

  /** How many groups so many rows make. */
  public static int count(int rows, int size) {
    return (rows + size - 1) / size;
  }

  /** How many of so many rows are in a group. */
  public static int rowsIn(int group, int rows, int size) {
    return start(group + 1, rows, size) - start(group, rows, size);
  }

  private static int start(int group, int rows, int size) {
    return Math.toIntExact((long) group * rows / count(rows, size));
  }

  /** The sum of β of each group. */
  public double[] costs() {
    return costs.clone();
  }

  /** The width of every row, from those of groups. */
  public byte[] rowWidths(byte[] groupWidths) {
    byte[] widths = new byte[order.length];
    for (int g = 0; g < groupWidths.length; g++) {
      for (int i = start(g, order.length, size); i < start(g + 1, order.length, size); i++) {
        widths[order[i]] = groupWidths[g];
      }
    }
    return widths;
  }
}
