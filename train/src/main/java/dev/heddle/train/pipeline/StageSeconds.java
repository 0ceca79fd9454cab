package dev.heddle.train.pipeline;

/**
 * How long the stages of training took at one worker, in seconds. Sampling, fetching and updates
 * count wherever they ran, perhaps while other batches were trained on; everything else is of the
 * thread that drives training.
 *
 * @param sample drawing batches, waiting for what other workers draw included
 * @param fetch getting the features of their vertices, likewise, and gathering them for each batch
 * @param compute forward and backward, and sums of gradients; rows of others not waited for
 * @param exchange waiting for rows of others, or for room to send
 * @param update the optimizer's part
 * @param idle waiting for a batch
 */
public record StageSeconds(
    double sample, double fetch, double compute, double exchange, double update, double idle) {
  /** What a worker's timeline says. */
  public static StageSeconds of(WorkerTimes times) {
    ThreadTimes training = times.threads().getFirst();
    long packing = times.nanos(Stage.EXCHANGE, Time.BUSY);
    return new StageSeconds(
        1e-9 * times.nanos(Stage.SAMPLE),
        1e-9 * (times.nanos(Stage.FETCH) + times.nanos(Stage.GATHER)),
        1e-9 * (times.nanos(Stage.COMPUTE) + training.nanos(Stage.SHARE) + packing),
        1e-9 * (times.nanos(Stage.EXCHANGE) - packing),
        1e-9 * times.nanos(Stage.UPDATE),
        1e-9 * training.nanos(Stage.QUEUE, Time.STARVED));
  }
}
