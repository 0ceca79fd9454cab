package dev.heddle.train.loop;

/**
 * Epochs from one evaluation to the next where nobody says how many. Several workers send rows as
 * they are to evaluate, beside which what a codec or a macrobatch saves in training would be lost:
 * they evaluate so seldom that this is at most a tenth of all that they send.
 */
public final class EvaluationInterval {
  private static final int TIMES_TRAINING = 9;

  private EvaluationInterval() {}

  /**
   * The interval; all workers call it and get the same.
   *
   * @param evaluationBytes that this worker sends in an evaluation
   * @param trainingBytes that it sends in an epoch
   */
  public static int of(Worker worker, long evaluationBytes, long trainingBytes) {
    long[] bytes = {evaluationBytes, trainingBytes};
    worker.group().sum(bytes);
    return bytes[0] == 0
        ? 1
        : Math.clamp(
            Math.ceilDiv(TIMES_TRAINING * bytes[0], Math.max(1, bytes[1])), 1, Integer.MAX_VALUE);
  }
}
