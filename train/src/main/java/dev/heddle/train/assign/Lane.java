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
    double top = (1 << bits) - 1;
    return costs[group] / (top * top);
  }

  double bytes(int group, int bits) {
    return (double) rows[group] * QuantisedRows.rowBytes(bits, cols);
  }

  /** The variance of all rows at one width. */
  double variance(int bits) {
    double sum = 0;
    for (int g = 0; g < groups(); g++) {
      sum += variance(g, bits);
    }
    return sum;
  }

  /** The time that all rows take at their widths; none where there are none. */
  double seconds(byte[] widths) {
    double bytes = 0;
    for (int g = 0; g < groups(); g++) {
      bytes += bytes(g, widths[g]);
    }
    return groups() == 0 ? 0 : link.seconds(bytes);
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
