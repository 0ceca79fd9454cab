package dev.heddle.nn.program;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of planned memory and the time it is in use: from the first use to the last, or, where
 * nothing is kept in between, single moments. Slots whose times do not overlap may share the same
 * bytes.
 *
 * <p>Time counts operations: the forward of operation {@code i} of {@code n} happens at {@code i},
 * its backward at {@code 2n − i}.
 */
final class Slot {
  final long bytes;
  private int first = Integer.MAX_VALUE;
  private int last = Integer.MIN_VALUE;
  private final List<Integer> moments = new ArrayList<>();
  private MemorySegment memory = MemorySegment.NULL;
  private @Nullable Slot heir;

  Slot(long bytes) {
    this.bytes = bytes;
  }

  void useAt(int time) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }

  /** Uses the bytes in one moment and keeps nothing in them for later. */
  void useOnlyAt(int time) {
    moments.add(time);
  }

  /** Keeps the bytes for itself from one step to the next. */
  void useAlways() {
    first = Integer.MIN_VALUE;
    last = Integer.MAX_VALUE;
  }

  boolean used() {
    return first <= last || !moments.isEmpty();
  }

  /** Takes what happens from one time to another (inclusive) as happening all at once. */
  void widen(int from, int to) {
    if (first <= last) {
      first = from <= first && first <= to ? from : first;
      last = from <= last && last <= to ? to : last;
    }
    moments.replaceAll(m -> from <= m && m <= to ? from : m);
  }

  boolean overlaps(Slot other) {
    return (first <= other.last && other.first <= last)
        || moments.stream().anyMatch(other::usedAt)
        || other.moments.stream().anyMatch(this::usedAt);
  }

  private boolean usedAt(int time) {
    return (first <= time && time <= last) || moments.contains(time);
  }

  /**
   * Whether this slot is last used in the same moment as another is first: then the other can have
   * its bytes, if what happens in that moment reads before it writes.
   */
  boolean endsWhereBegins(Slot other, int time) {
    return last == time && other.first == time && bytes == other.bytes;
  }

  /** Takes over the bytes and the remaining time of another slot. */
  void inherit(Slot other) {
    last = Math.max(last, other.last);
    other.heir = this;
  }

  /** Whether these bytes are another slot's, and need no place of their own. */
  boolean inherited() {
    return heir != null;
  }

  void place(MemorySegment at) {
    memory = at;
  }

  MemorySegment memory() {
    return heir == null ? memory : heir.memory();
  }
}
