package dev.heddle.comm;

/** What the rounds of one kind of an exchange took so far. */
final class ExchangeTally {
  private final Kind kind;
  private long travelNanos;
  private long exposedNanos;
  private long codingNanos;
  private long sentBytes;

  ExchangeTally(Kind kind) {
    this.kind = kind;
  }

  /** Of these rounds' messages. */
  Kind kind() {
    return kind;
  }

  void travelled(long nanos) {
    travelNanos += nanos;
  }

  void waited(long nanos) {
    exposedNanos += nanos;
  }

  long exposedNanos() {
    return exposedNanos;
  }

  void coded(long nanos) {
    codingNanos += nanos;
  }

  void sent(long bytes) {
    sentBytes += bytes;
  }

  /** Adds the figures of {@link #times} to others. */
  void addTo(long[] figures) {
    figures[0] += travelNanos;
    figures[1] += exposedNanos;
    figures[2] += codingNanos;
    figures[3] += sentBytes;
  }

  ExchangeTimes times() {
    return new ExchangeTimes(travelNanos, exposedNanos, codingNanos, sentBytes);
  }

  /** Of several kinds together. */
  static ExchangeTimes times(ExchangeTally[] tallies) {
    long travel = 0;
    long exposed = 0;
    long coding = 0;
    long sent = 0;
    for (ExchangeTally each : tallies) {
      travel += each.travelNanos;
      exposed += each.exposedNanos;
      coding += each.codingNanos;
      sent += each.sentBytes;
    }
    return new ExchangeTimes(travel, exposed, coding, sent);
  }
}
