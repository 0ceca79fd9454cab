package dev.heddle.train;

import dev.heddle.nn.ModelKind;

/**
 * How rows travel between workers that train together.
 *
 * @param overlap whether they travel while what needs none of them is computed; results are the
 *     same bits
 * @param preAggregate whether owners sum rows beforehand where that makes fewer of them; results
 *     are the same but for the order of sums
 * @param delta whether what changed since the last epoch is rounded instead of the rows
 */
public record HaloSettings(
    HaloCodec codec, boolean overlap, Adaptation adaptation, boolean preAggregate, boolean delta) {
  /** Rows as they are, waited for. */
  public static final HaloSettings DEFAULT = new HaloSettings(HaloCodec.FP32, false);

  public HaloSettings {
    if (delta && !codec.rounds()) {
      throw new IllegalArgumentException(
          "--codec-delta on is for rows that are rounded, and "
              + codec
              + " sends them as they are:"
              + " use --codec bits2, bits4, bits8 or adaptive");
    }
  }

  public HaloSettings(HaloCodec codec, boolean overlap) {
    this(codec, overlap, Adaptation.DEFAULT);
  }

  public HaloSettings(HaloCodec codec, boolean overlap, Adaptation adaptation) {
    this(codec, overlap, adaptation, false, false);
  }

  /** The same with or without sums made beforehand. */
  public HaloSettings withPreAggregate(boolean value) {
    return new HaloSettings(codec, overlap, adaptation, value, delta);
  }

  /** The same with changes rounded, or rows. */
  public HaloSettings withDelta(boolean value) {
    return new HaloSettings(codec, overlap, adaptation, preAggregate, value);
  }

  /**
   * How widths of rows are chosen, where they are.
   *
   * @param period epochs from one choice to the next; the first is made after the first epoch
   * @param lambda what variance counts against time, from 0 to 1
   * @param group rows for which one choice is made
   */
  public record Adaptation(int period, double lambda, int group) {
    public static final Adaptation DEFAULT = new Adaptation(50, 0.5, 100);

    public Adaptation {
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

    boolean due(int epoch) {
      return epoch == 2 || (epoch > 1 && (epoch - 1) % period == 0);
    }
  }

  /**
   * Refuses a model whose result would not be right in the mean if its neighbours' rows are, or
   * that needs neighbours one by one.
   */
  void check(ModelKind kind) {
    if (preAggregate && kind.attention()) {
      throw new IllegalArgumentException(
          kind
              + " weighs neighbours one by one, so that nobody can sum them beforehand: use"
              + " --pre-aggregate off");
    }
    if (preAggregate && kind == ModelKind.SAGE_POOL) {
      throw new IllegalArgumentException(
          kind + " takes the largest of rows, not their sum: use --pre-aggregate off");
    }
    if (!codec.rounds()) {
      return;
    }
    if (kind.attention()) {
      throw new IllegalArgumentException(
          kind + " weighs neighbours by rows that " + codec + " would round: use codec fp32");
    }
    if (kind == ModelKind.SAGE_POOL) {
      throw new IllegalArgumentException(
          kind
              + " takes the largest of rows, and of rounded ones that is too large: use codec"
              + " fp32");
    }
  }
}
