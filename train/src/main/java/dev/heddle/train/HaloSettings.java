package dev.heddle.train;

import dev.heddle.nn.ModelKind;

/** How rows travel between workers that train together. */
public record HaloSettings(HaloCodec codec) {
  /** Rows as they are. */
  public static final HaloSettings DEFAULT = new HaloSettings(HaloCodec.FP32);

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
