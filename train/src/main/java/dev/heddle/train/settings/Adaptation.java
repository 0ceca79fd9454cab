package dev.heddle.train.settings;

/**
 * How widths of rows are chosen, by a codec that chooses them.
 *
 * @param period epochs from one choice to the next; the first is made after the first epoch
 * @param lambda what variance counts against time, from 0 to 1
 * @param group rows for which one choice is made
 * @param bits of a uniform width whose bytes are spent, whatever time they take; 0 to weigh
 *     variance against time
 */
public record Adaptation(int period, double lambda, int group, int bits) {
  public static final Adaptation DEFAULT = new Adaptation(50, 0.5, 100);

  public Adaptation(int period, double lambda, int group) {
    this(period, lambda, group, 0);
  }

  public Adaptation {
    if (bits != 0 && bits != 2 && bits != 4 && bits != 8) {
      throw new IllegalArgumentException("rows travel at 2, 4 or 8 bits, not " + bits);
    }
    if (period < 1 || group < 1 || !(lambda >= 0 && lambda <= 1)) {
      throw new IllegalArgumentException(
          "widths need a period and a group of at least 1 and a lambda from 0 to 1, not "
              + period
              + ", "
              + group
              + " and "
              + lambda);
    }
  }

  /** Whether widths are chosen before an epoch. */
  public boolean due(int epoch) {
    return epoch == 2 || (epoch > 1 && (epoch - 1) % period == 0);
  }
}
