package dev.heddle.nn.program;

/** Times from a first to a last use, both included; none where there was no use. */
final class Span {
  private int first = Integer.MAX_VALUE;
  private int last = Integer.MIN_VALUE;

  void include(int time) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }

  void include(Span other) {
    first = Math.min(first, other.first);
    last = Math.max(last, other.last);
  }

  boolean isEmpty() {
    return first > last;
  }

  int first() {
    return first;
  }

  int last() {
    return last;
  }

  boolean contains(int time) {
    return first <= time && time <= last;
  }

  boolean overlaps(Span other) {
    return first <= other.last && other.first <= last;
  }

  /** Takes what happens from one time to another (inclusive) as happening all at once. */
  void widen(int from, int to) {
    if (!isEmpty()) {
      first = from <= first && first <= to ? from : first;
      last = from <= last && last <= to ? to : last;
    }
  }
}
