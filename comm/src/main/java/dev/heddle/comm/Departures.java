package dev.heddle.comm;

import org.jspecify.annotations.Nullable;

/**
 * Messages of one direction that may go, in the order in which the link takes them: what someone
 * waits for goes before what is fetched ahead of its use, however much of that there is. Says when
 * each has arrived on a link that is imitated. Guarded by its owner.
 */
final class Departures {
  /**
   * A message takes its place on the link this much before its turn, in nanoseconds: less than
   * anyone notices, and the writing thread need not wake up for it.
   */
  private static final long NEAR = 1_000_000;

  private final Link.Clock clock;
  private final TransferQueue urgent = new TransferQueue();
  private final TransferQueue ahead = new TransferQueue();
  private final TransferQueue underWay = new TransferQueue();

  Departures(Link link) {
    clock = new Link.Clock(link);
  }

  void imitate(Link link) {
    clock.become(link);
  }

  /** Whether a message would arrive at once: nothing is before it, and the link has no limits. */
  boolean immediate() {
    return isEmpty() && !clock.limited();
  }

  boolean isEmpty() {
    return urgent.isEmpty() && ahead.isEmpty() && underWay.isEmpty();
  }

  void add(Transfer transfer) {
    (transfer.kind().isAhead() ? ahead : urgent).add(transfer);
  }

  /** Puts back one that arrived already. */
  void putBack(Transfer transfer) {
    underWay.add(transfer);
  }

  /** A message that has arrived by now, taken out. */
  @Nullable Transfer poll(long now) {
    while (clock.limited() ? !clock.busy(now + NEAR) : underWay.isEmpty()) {
      Transfer next = urgent.isEmpty() ? ahead.poll() : urgent.poll();
      if (next == null) {
        break;
      }
      // The link may have been free since the message was sent, before anyone looked.
      next.setArrival(clock.arrival(next.bytes(), next.arrival()));
      underWay.add(next);
    }
    Transfer first = underWay.first();
    return first != null && first.arrival() - now <= 0 ? underWay.poll() : null;
  }

  /** When there may be one to {@link #poll}, at the latest at a given time. */
  long next(long latest) {
    Transfer first = underWay.first();
    long at = first == null ? latest : Math.min(latest, first.arrival());
    return urgent.isEmpty() && ahead.isEmpty() ? at : Math.min(at, clock.free() - NEAR);
  }

  /** Makes everyone who waits for one of these look for a failure; forgets them all. */
  void wakeAll() {
    urgent.wakeAll();
    ahead.wakeAll();
    underWay.wakeAll();
  }
}
