package dev.heddle.train.batch;

/**
 * How long the queues between a worker's stages were.
 *
 * @param length that they may have in the end, in rounds of batches; 0 where there are none
 * @param longest that they might have become
 * @param changes how often the length changed
 * @param sampled the most rounds that waited to be fetched at a time
 * @param fetched the most rounds that waited to be trained on
 */
public record QueueReport(int length, int longest, int changes, int sampled, int fetched) {
  /** Of those who have no queues. */
  public static final QueueReport NONE = new QueueReport(0, 0, 0, 0, 0);
}
