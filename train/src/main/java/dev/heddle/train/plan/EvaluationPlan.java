package dev.heddle.train.plan;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.comm.SumCost;
import dev.heddle.graph.Labels;
import dev.heddle.graph.partition.PartCounts;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.AdditiveMetric;
import dev.heddle.nn.Metric;
import dev.heddle.nn.RocAuc;
import java.lang.foreign.MemorySegment;

/** What one worker sends for scores once the outputs are there: of three parts of the split. */
final class EvaluationPlan {
  private static final int PARTS_OF_SPLIT = 3;

  private EvaluationPlan() {}

  /**
   * Scores by a metric.
   *
   * @param outputs columns of the model's output
   * @param own this worker's part
   */
  static Sent of(Metric metric, Labels labels, int outputs, PartCounts own, int workers, int rank) {
    if (workers == 1) {
      return Sent.NOTHING;
    }
    // Over no rows, a metric tells how much there is to tell of any.
    Matrix none = Matrix.over(MemorySegment.NULL, 0, outputs);
    return switch (metric) {
      case AdditiveMetric additive -> {
        int words = additive.tally(none, labels, new int[0]).length;
        yield Sent.NOTHING.plus(Kind.CONTROL, words(words, workers, rank).times(PARTS_OF_SPLIT));
      }
      case RocAuc auc -> {
        Sent sent =
            Sent.NOTHING.plus(Kind.CONTROL, words(workers, workers, rank).times(PARTS_OF_SPLIT));
        for (int rows : new int[] {own.train(), own.valid(), own.test()}) {
          var keys = new Sent.Amount((long) Long.BYTES * rows, 1).times(workers - 1L);
          sent = sent.plus(Kind.EVALUATION, keys.times(auc.rankings(none, labels)));
        }
        yield sent;
      }
    };
  }

  private static Sent.Amount words(int count, int workers, int rank) {
    return SumCost.ofWords(count, workers, rank).sent();
  }
}
