package dev.heddle.comm;

/**
 * How long rounds of an exchange took at one worker, all together, and what it sent.
 *
 * @param travelNanos from the start of a round to the arrival of its last message, or until what
 *     the round before sent has left
 * @param exposedNanos of these, how long the worker waited for them
 * @param codingNanos packing and unpacking
 * @param sentBytes of rows
 */
public record ExchangeTimes(long travelNanos, long exposedNanos, long codingNanos, long sentBytes) {
  public static final ExchangeTimes NONE = new ExchangeTimes(0, 0, 0, 0);

  /** How many numbers it is. */
  public static final int FIGURES = 4;

  /** From numbers in the order of the components. */
  public static ExchangeTimes of(long[] figures) {
    return new ExchangeTimes(figures[0], figures[1], figures[2], figures[3]);
  }

  public ExchangeTimes plus(ExchangeTimes other) {
    return new ExchangeTimes(
        travelNanos + other.travelNanos,
        exposedNanos + other.exposedNanos,
        codingNanos + other.codingNanos,
        sentBytes + other.sentBytes);
  }

  public ExchangeTimes minus(ExchangeTimes other) {
    return new ExchangeTimes(
        travelNanos - other.travelNanos,
        exposedNanos - other.exposedNanos,
        codingNanos - other.codingNanos,
        sentBytes - other.sentBytes);
  }

  /** The share of travelling during which the worker did something else; 0 if nothing travelled. */
  public double hiddenFraction() {
    return travelNanos == 0 ? 0 : Math.max(0, 1 - (double) exposedNanos / travelNanos);
  }
}
