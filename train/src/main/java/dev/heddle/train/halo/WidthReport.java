package dev.heddle.train.halo;

/**
 * How many rows of one value travelled at how many bits in one direction, all workers together: in
 * this epoch and in those after it, up to the next entry of that value and direction. The first
 * entries are of the first epoch that was trained, before any choice; then there are some of every
 * epoch that began with a choice of widths, whether or not it changed any. An entry counts each row
 * once for each worker that it goes to. Values that travel as they are have no entries.
 *
 * @param value the travelling values are numbered in the order of layers
 * @param back whether these are gradients
 */
public record WidthReport(int epoch, int value, boolean back, long bits2, long bits4, long bits8) {}
