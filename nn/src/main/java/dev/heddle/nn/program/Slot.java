package dev.heddle.nn.program;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of planned memory and the times it is in use: from the first use to the last; where
 * nothing is kept in between, single moments; and of what is computed again, a second span. Slots
 * whose times do not overlap may share the same bytes.
 *
 * <p>Time counts operations: the forward of operation {@code i} of {@code n} happens at {@code i},
 * its backward at {@code 2n − i}.
 */
final class Slot {
  final long bytes;
  private final Span held = new Span();
  private final Span again = new Span();
  private final List<Integer> moments = new ArrayList<>();
  private MemorySegment memory = MemorySegment.NULL;
  private @Nullable Slot heir;

  Slot(long bytes) {
    this.bytes = bytes;
  }

  void useAt(int time) {
    (again.isEmpty() || time < again.first() ? held : again).include(time);
  }

  /** Uses the bytes in one moment and keeps nothing in them for later. */
  void useOnlyAt(int time) {
    moments.add(time);
  }

  /** Keeps the bytes for itself from one step to the next. */
  void useAlways() {
    held.include(Integer.MIN_VALUE);
    held.include(Integer.MAX_VALUE);
  }

  /** Says that what uses from this time on read is computed again then; told before any use. */
  void computeAgainAt(int time) {
    again.include(time);
  }

  boolean used() {
    return !held.isEmpty() || !moments.isEmpty();
  }

  /** Takes what happens from one time to another (inclusive) as happening all at once. */
  void widen(int from, int to) {
    held.widen(from, to);
    again.widen(from, to);
    moments.replaceAll(m -> from <= m && m <= to ? from : m);
  }

  boolean overlaps(Slot other) {
    return overlaps(other.held)
        || overlaps(other.again)
        || moments.stream().anyMatch(other::usedAt)
        || other.moments.stream().anyMatch(this::usedAt);
  }

  private boolean overlaps(Span span) {
    return held.overlaps(span) || again.overlaps(span);
  }

  private boolean usedAt(int time) {
    return holds(time) || moments.contains(time);
  }

  /** Whether something is kept in the bytes at a time. */
  boolean holds(int time) {
    return held.contains(time) || again.contains(time);
  }

  /** The span in which the bytes are used last. */
  private Span lastly() {
    return again.isEmpty() ? held : again;
  }

  /**
   * Whether this slot is last used in the same moment as another is first: then the other can have
   * its bytes, if what happens in that moment reads before it writes.
   */
  boolean endsWhereBegins(Slot other, int time) {
    return lastly().last() == time && other.held.first() == time && bytes == other.bytes;
  }

  /** Takes over the bytes and the remaining time of another slot. */
  void inherit(Slot other) {
    lastly().include(other.held);
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
