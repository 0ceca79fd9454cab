package dev.heddle.comm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes between this worker and each other, whose number both ends know, cut into messages of
 * bounded size. Made once; at most one parcel to a worker, and one from it, is under way at a time.
 */
public final class Parcels {
  /**
   * Messages are no larger than this, unless someone asks for less: what is waited for goes before
   * them, but not in the middle of one.
   */
  public static final long MOST_BYTES = 256 << 10;

  private final long tag;
  private final long most;
  private final Side[] out;
  private final Side[] in;

  private Parcels(Group group, Kind kind, long most) {
    if (most < 1) {
      throw new IllegalArgumentException("a message has at least 1 byte, not " + most);
    }
    tag = group.nextTag();
    this.most = most;
    out = new Side[group.size()];
    in = new Side[group.size()];
    for (int peer = 0; peer < group.size(); peer++) {
      out[peer] = new Side(group, peer, kind, true);
      in[peer] = new Side(group, peer, kind, false);
    }
  }

  /**
   * Parcels of a group; all its workers make theirs in the same order.
   *
   * @param most bytes of a message
   */
  public static Parcels of(Group group, Kind kind, long most) {
    return new Parcels(group, kind, most);
  }

  /** Starts to send; the memory is not to be written before {@link #awaitSent}. */
  public void send(int peer, MemorySegment bytes, long from, long count) {
    out[peer].start(bytes, from, count);
  }

  /** Makes ready to receive. */
  public void receive(int peer, MemorySegment into, long from, long count) {
    in[peer].start(into, from, count);
  }

  /** Waits for what {@link #receive} is to receive, if anything. */
  public void awaitReceived(int peer) {
    in[peer].await();
  }

  /** Waits until what was sent last has left. */
  public void awaitSent(int peer) {
    out[peer].await();
  }

  /** What goes one way between this worker and another. */
  private final class Side {
    private final Group group;
    private final int peer;
    private final Kind kind;
    private final boolean outgoing;
    private final List<Transfer> transfers = new ArrayList<>();
    private int underWay;

    Side(Group group, int peer, Kind kind, boolean outgoing) {
      this.group = group;
      this.peer = peer;
      this.kind = kind;
      this.outgoing = outgoing;
    }

    /** Nothing is a message too: whoever waits for it is told. */
    void start(MemorySegment memory, long from, long count) {
      await();
      long at = 0;
      do {
        if (underWay == transfers.size()) {
          transfers.add(outgoing ? group.to(peer, kind) : group.from(peer, kind));
        }
        long part = Math.min(most, count - at);
        transfers.get(underWay++).start(tag, memory, from + at, part);
        at += part;
      } while (at < count);
    }

    void await() {
      for (int i = 0; i < underWay; i++) {
        transfers.get(i).await();
      }
      underWay = 0;
    }
  }
}
