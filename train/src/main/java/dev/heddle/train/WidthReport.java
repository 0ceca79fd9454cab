package dev.heddle.train;

/**
 * How many rows of one value travel at how many bits in one direction, all workers together, from
 * an epoch on.
 *
 * @param value the travelling values are numbered in the order of layers
 * @param back whether these are gradients
 */
public record WidthReport(int epoch, int value, boolean back, long bits2, long bits4, long bits8) {
  WidthReport(int epoch, int value, boolean back, long[] rowsByBits) {
    this(epoch, value, back, rowsByBits[2], rowsByBits[4], rowsByBits[8]);
  }
}
