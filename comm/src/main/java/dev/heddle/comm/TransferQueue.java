package dev.heddle.comm;

import org.jspecify.annotations.Nullable;

/**
 * Transfers in order of arrival, to be taken by tag. Few are ever under way at once, so that a walk
 * is faster than a map, and needs no memory of its own. Guarded by its owner.
 */
final class TransferQueue {
  private @Nullable Transfer first;
  private @Nullable Transfer last;

  void add(Transfer transfer) {
    transfer.next = null;
    if (last == null) {
      first = transfer;
    } else {
      last.next = transfer;
    }
    last = transfer;
  }

  /** The oldest transfer with this tag, taken out; none if there is none. */
  @Nullable Transfer take(long tag) {
    Transfer before = null;
    for (Transfer t = first; t != null; before = t, t = t.next) {
      if (t.tag() == tag) {
        unlink(before, t);
        return t;
      }
    }
    return null;
  }

  /** The oldest transfer with this tag, left where it is. */
  @Nullable Transfer find(long tag) {
    for (Transfer t = first; t != null; t = t.next) {
      if (t.tag() == tag) {
        return t;
      }
    }
    return null;
  }

  /** The oldest transfer, left where it is. */
  @Nullable Transfer first() {
    return first;
  }

  /** Makes everyone who waits for a transfer of this queue look for a failure; forgets them all. */
  void wakeAll() {
    for (Transfer t = poll(); t != null; t = poll()) {
      t.wake();
    }
  }

  /** The oldest transfer, taken out. */
  @Nullable Transfer poll() {
    Transfer t = first;
    if (t != null) {
      unlink(null, t);
    }
    return t;
  }

  void clear() {
    first = null;
    last = null;
  }

  boolean isEmpty() {
    return first == null;
  }

  private void unlink(@Nullable Transfer before, Transfer t) {
    if (before == null) {
      first = t.next;
    } else {
      before.next = t.next;
    }
    if (last == t) {
      last = before;
    }
    t.next = null;
  }
}
