package dev.heddle.train.plan;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.nn.Outline;
import dev.heddle.train.batch.BatchSurvey;
import dev.heddle.train.batch.BatchWork;
import java.util.List;

/**
 * What one worker does and sends in a step, in the mean of the steps that were looked at.
 *
 * @param arcs that it draws
 * @param loaded rows of features that it reads or gets
 * @param multiplications of forward and backward, see {@link BatchWork#multiplications}
 * @param loading bytes and messages that it sends so that batches are sampled and fetched
 * @param shuffling bytes and messages of rows that are computed, and of their gradients
 */
public record StepCounts(
    double arcs, double loaded, double multiplications, Amount loading, Amount shuffling) {
  private static final int LENGTH = 7;

  /** Bytes and messages. */
  public record Amount(double bytes, double messages) {}

  /** What a survey of batches saw. */
  static StepCounts of(BatchSurvey survey, List<Outline> model) {
    BatchWork work = survey.work();
    double batches = survey.surveyed();
    Sent epoch = survey.loading();
    Sent.Amount rows = epoch.of(Kind.HALO);
    double steps = survey.steps();
    return new StepCounts(
        work.arcs() / batches,
        work.loaded() / batches,
        work.multiplications(model) / batches,
        new Amount(
            (epoch.bytes() - rows.bytes()) / steps, (epoch.messages() - rows.messages()) / steps),
        new Amount(rows.bytes() / steps, rows.messages() / steps));
  }

  static int length() {
    return LENGTH;
  }

  void write(double[] into, int at) {
    double[] all = {
      arcs,
      loaded,
      multiplications,
      loading.bytes,
      loading.messages,
      shuffling.bytes,
      shuffling.messages
    };
    System.arraycopy(all, 0, into, at, LENGTH);
  }

  static StepCounts read(double[] from, int at) {
    return new StepCounts(
        from[at],
        from[at + 1],
        from[at + 2],
        new Amount(from[at + 3], from[at + 4]),
        new Amount(from[at + 5], from[at + 6]));
  }
}
