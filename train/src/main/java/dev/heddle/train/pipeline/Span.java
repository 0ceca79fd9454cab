package dev.heddle.train.pipeline;

/**
 * A stretch of time of one thread.
 *
 * @param epoch counted from 1; 0 outside of epochs
 * @param item of the epoch, counted from 0: a step of the training loop, a round of loading
 * @param begin nanoseconds since the {@linkplain Timeline#align origin} of the worker's timeline
 * @param waited of these, how long the thread was blocked or starved while in it; where the span is
 *     itself such a wait, that of its inner ones
 */
public record Span(Stage stage, Time time, int epoch, int item, long begin, long end, long waited) {
  public long nanos() {
    return end - begin;
  }
}
