package dev.heddle.train.assign;

import dev.heddle.kernel.QuantisedRows;

/**
 * What goes from one worker to another in a round: groups of rows, and the link that they take.
 *
 * @param cols of a row
 * @param rows of each group
 * @param costs β of each group, see {@link RowGroups}
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Lane(LinkModel link, int cols, int[] rows, double[] costs) {
  /** The widths that rows can have, and their number. */
  static final int[] WIDTHS = {2, 4, 8};

  int groups() {
    return rows.length;
  }

  /** The variance of a group's rows at a width. */
  double variance(int group, int bits) {
    return costs[group] * perCost(bits);
  }

  static double perCost(int bits) {
    double top = (1 << bits) - 1;
    return 1 / (top * top);
  }

  double bytes(int group, int bits) {
    return (double) rows[group] * rowBytes(bits);
  }

  double rowBytes(int bits) {
    return QuantisedRows.rowBytes(bits, cols);
  }

  /** The variance that a group loses by every byte that it gets at more bits. */
  double rate(int group, int before, int after) {
    double gain = variance(group, before) - variance(group, after);
    return gain / (bytes(group, after) - bytes(group, before));
  }

  /** The variance of all rows at one width. */
  double variance(int bits) {
    double sum = 0;
    for (int g = 0; g < groups(); g++) {
      sum += variance(g, bits);
    }
    return sum;
  }

  /** The time that all rows take at one width; none where there are none. */
  double seconds(int bits) {
    double bytes = 0;
    for (int g = 0; g < groups(); g++) {
      bytes += bytes(g, bits);
    }
    return groups() == 0 ? 0 : link.seconds(bytes);
  }
}
