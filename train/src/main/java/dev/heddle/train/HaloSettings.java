package dev.heddle.train;

import dev.heddle.nn.ModelKind;

/**
 * How rows travel between workers that train together.
 *
 * @param overlap whether they travel while what needs none of them is computed; results are the
 *     same bits
 */
public record HaloSettings(HaloCodec codec, boolean overlap) {
  /** Rows as they are, waited for. */
  public static final HaloSettings DEFAULT = new HaloSettings(HaloCodec.FP32, false);

  /** Refuses a model whose result would not be right in the mean if its neighbours' rows are. */
  void check(ModelKind kind) {
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
