package dev.heddle.train.settings;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.nn.ModelKind;

/**
 * How rows travel between workers that train together, and sums of gradients. In batches the codec
 * is that of the features that workers fetch; there overlap and sums made beforehand are for
 * evaluations.
 *
 * @param overlap whether they travel while what needs none of them is computed; results are the
 *     same bits
 */
public record HaloSettings(
    HaloCodec codec, boolean overlap, Adaptation adaptation, Savings savings) {
  /** Rows as they are, waited for. */
  public static final HaloSettings DEFAULT = new HaloSettings(HaloCodec.FP32, false);

  public HaloSettings {
    if (savings.delta && !codec.rounds()) {
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
    this(codec, overlap, adaptation, Savings.NONE);
  }

  /**
   * What may be saved besides.
   *
   * @param preAggregate whether owners sum rows beforehand where that makes fewer of them; results
   *     are the same but for the order of sums
   * @param delta whether what changed since the last epoch is rounded instead of the rows
   * @param halfSums whether gradients of parameters are rounded to bfloat16 to be summed
   */
  public record Savings(boolean preAggregate, boolean delta, boolean halfSums) {
    public static final Savings NONE = new Savings(false, false, false);
  }

  public boolean preAggregate() {
    return savings.preAggregate;
  }

  public boolean delta() {
    return savings.delta;
  }

  public boolean halfSums() {
    return savings.halfSums;
  }

  /** These settings with or without sums that owners make beforehand. */
  public HaloSettings withPreAggregate(boolean value) {
    return with(new Savings(value, savings.delta, savings.halfSums));
  }

  /** These settings with rounding of changes, or of rows. */
  public HaloSettings withDelta(boolean value) {
    return with(new Savings(savings.preAggregate, value, savings.halfSums));
  }

  /** These settings with gradients of parameters summed as bfloat16, or as they are. */
  public HaloSettings withHalfSums(boolean value) {
    return with(new Savings(savings.preAggregate, savings.delta, value));
  }

  private HaloSettings with(Savings value) {
    return new HaloSettings(codec, overlap, adaptation, value);
  }

  /**
   * How widths of rows are chosen, where they are.
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

    public boolean due(int epoch) {
      return epoch == 2 || (epoch > 1 && (epoch - 1) % period == 0);
    }
  }

  /**
   * Refuses a model whose result would not be right in the mean if its neighbours' rows are, or
   * that needs neighbours one by one.
   */
  public void check(ModelKind kind) {
    if (preAggregate() && kind.attention()) {
      throw new IllegalArgumentException(
          kind
              + " weighs neighbours one by one, so that nobody can sum them beforehand: use"
              + " --pre-aggregate off");
    }
    if (preAggregate() && kind == ModelKind.SAGE_POOL) {
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

  /**
   * Refuses what makes no sense for batches, where features are what travels while training: they
   * do not change, and each worker chooses anew which rows it needs.
   */
  public void checkFetches(Features features) {
    if (!codec.rounds()) {
      return;
    }
    if (codec.chooses()) {
      throw new IllegalArgumentException(
          "batches fetch features at one width: use codec bits2, bits4 or bits8, not " + codec);
    }
    if (delta()) {
      throw new IllegalArgumentException(
          "batches fetch features, which do not change, so that no change can be rounded: use"
              + " --codec-delta off");
    }
    if (preAggregate()) {
      throw new IllegalArgumentException(
          "batches fetch rows one by one at "
              + codec
              + ", and nobody sums them beforehand: use --pre-aggregate off");
    }
    if (!(features instanceof DenseFeatures)) {
      throw new IllegalArgumentException(
          "batches fetch sparse features as they are, and "
              + codec
              + " is for rows of dense ones: use codec fp32");
    }
  }

  /**
   * Refuses what makes no sense for batches that workers share, whose rows go elsewhere in every
   * step.
   */
  public void checkShuffles() {
    if (codec.chooses()) {
      throw new IllegalArgumentException(
          "rows of batches go elsewhere in every step, so that none has a width of its own: use"
              + " codec fp32, bits2, bits4 or bits8, not "
              + codec);
    }
    if (delta()) {
      throw new IllegalArgumentException(
          "rows of batches go elsewhere in every step, so that nobody remembers them: use"
              + " --codec-delta off");
    }
  }
}
