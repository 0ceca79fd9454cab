package dev.heddle.train.settings;

/**
 * How rows look on their way between workers: of a full graph, the halo's rows and their gradients;
 * of batches, the features that are fetched.
 *
 * @param adaptation how widths are chosen, where the kind chooses them
 * @param delta whether what changed since the last epoch is rounded instead of the rows
 * @param preAggregate whether owners sum rows beforehand where that makes fewer of them; results
 *     are the same but for the order of sums
 */
public record RowCodec(CodecKind kind, Adaptation adaptation, boolean delta, boolean preAggregate) {
  /** Rows as they are, one by one. */
  public static final RowCodec FP32 = of(CodecKind.FP32);

  public static RowCodec of(CodecKind kind) {
    return new RowCodec(kind, Adaptation.DEFAULT, false, false);
  }

  public RowCodec withAdaptation(Adaptation value) {
    return new RowCodec(kind, value, delta, preAggregate);
  }

  public RowCodec withDelta(boolean value) {
    return new RowCodec(kind, adaptation, value, preAggregate);
  }

  public RowCodec withPreAggregate(boolean value) {
    return new RowCodec(kind, adaptation, delta, value);
  }
}
