package dev.heddle.comm;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way, out or in. It is made once for a peer and started again and again, and is
 * its own place in the queues that it passes: starting and awaiting allocate nothing.
 */
final class Transfer implements Pending {
  private final Transport transport;
  private final int peer;
  private final boolean outgoing;

  private Kind kind;
  private long tag;
  private MemorySegment segment = MemorySegment.NULL;
  private long offset;
  private long bytes;
  private boolean upTo;
  private long arrival;
  private long completed;

  private boolean started;
  private volatile boolean done;
  private volatile @Nullable Thread waiter;

  private @Nullable ByteBuffer view;
  private MemorySegment viewed = MemorySegment.NULL;
  private long viewedFrom;

  /** For {@link TransferQueue} alone. */
  @Nullable Transfer next;

  private Transfer(Transport transport, int peer, Kind kind, boolean outgoing) {
    this.transport = transport;
    this.peer = peer;
    this.kind = kind;
    this.outgoing = outgoing;
  }

  static Transfer to(Transport transport, int peer, Kind kind) {
    return new Transfer(transport, peer, kind, true);
  }

  static Transfer from(Transport transport, int peer, Kind kind) {
    return new Transfer(transport, peer, kind, false);
  }

  void start(long withTag, MemorySegment memory) {
    start(withTag, memory, 0, memory.byteSize());
  }

  /** Sets out. The memory belongs to the transfer until {@link #await} returns. */
  void start(long withTag, MemorySegment memory, long from, long count) {
    startAs(kind, withTag, memory, from, count);
  }

  /** Sets out as a message of a kind, by which it is counted and waited for from now on. */
  void startAs(Kind withKind, long withTag, MemorySegment memory, long from, long count) {
    checkIdle();
    kind = withKind;
    upTo = false;
    begin(withTag, memory, from, count);
  }

  /** Receives a message of at most so many bytes; {@link #bytes} then says how many came. */
  void startUpTo(long withTag, MemorySegment memory, long from, long most) {
    checkIdle();
    upTo = true;
    begin(withTag, memory, from, most);
  }

  private void checkIdle() {
    if (started) {
      throw new IllegalStateException(this + " is under way already");
    }
  }

  private void begin(long withTag, MemorySegment memory, long from, long count) {
    if (!memory.isNative() && count > 0) {
      throw new IllegalArgumentException("only off-heap memory travels");
    }
    Objects.checkFromIndexSize(from, count, memory.byteSize());
    Member member = transport.member();
    member.throwFailure();
    tag = withTag;
    segment = memory;
    offset = from;
    bytes = count;
    arrival = System.nanoTime();
    done = false;
    started = true;
    if (outgoing) {
      member.traffic().sent(kind, peer, count);
      transport.send(this);
    } else {
      transport.receive(this);
    }
  }

  @Override
  public void await() {
    if (!started) {
      return;
    }
    Member member = transport.member();
    if (!done || arrival - System.nanoTime() > 0) {
      long began = System.nanoTime();
      waiter = Thread.currentThread();
      member.waitFor(peer);
      waitFor(member, began + member.settings().patience().toNanos());
      member.waitFor(Member.NOBODY);
      waiter = null;
      member.traffic().waited(kind, peer, System.nanoTime() - began);
    }
    started = false;
  }

  private void waitFor(Member member, long deadline) {
    while (true) {
      long now = System.nanoTime();
      boolean here = done;
      if (here && arrival - now <= 0) {
        return;
      }
      member.throwFailure();
      if (!here && now - deadline >= 0) {
        transport.fail(late(member));
        continue;
      }
      LockSupport.parkNanos(this, (here ? arrival : deadline) - now);
      if (Thread.currentThread().isInterrupted()) {
        transport.fail(
            member.blame(member.rank(), "was interrupted while waiting for " + this, null));
        member.throwFailure();
      }
    }
  }

  /** Blames whoever keeps everyone waiting: perhaps the peer is waiting for another itself. */
  private GroupException late(Member member) {
    int culprit = peer;
    for (int hops = 0; hops < member.size(); hops++) {
      int next = transport.waitsFor(culprit);
      if (next == Member.NOBODY || next == member.rank()) {
        break;
      }
      culprit = next;
    }
    long seconds = member.settings().patience().toSeconds();
    String what = (outgoing ? "did not take " : "did not send ") + bytes + " bytes of " + kind;
    return member.blame(
        culprit,
        (culprit == peer ? "" : "keeps rank " + peer + " waiting, which ")
            + what
            + " within "
            + seconds
            + " s",
        null);
  }

  /** Says whether this can receive a message of so many bytes, which it will then have. */
  boolean takes(long length) {
    if (upTo ? length > bytes : length != bytes) {
      return false;
    }
    bytes = length;
    return true;
  }

  /** Called by the transport, once the bytes are where they should be. */
  void complete() {
    completed = System.nanoTime();
    done = true;
    wake();
  }

  /** Makes whoever waits look again. */
  void wake() {
    Thread waiting = waiter;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  int peer() {
    return peer;
  }

  Kind kind() {
    return kind;
  }

  long tag() {
    return tag;
  }

  MemorySegment segment() {
    return segment;
  }

  long offset() {
    return offset;
  }

  long bytes() {
    return bytes;
  }

  /** Bytes as channels want them; made anew only for other memory than last time, or for more. */
  ByteBuffer view(long from, int length) {
    long first = offset + from;
    ByteBuffer known = view;
    if (known == null
        || known.capacity() < length
        || viewedFrom != first
        || !viewed.equals(segment)
        || !viewed.scope().equals(segment.scope())) {
      known = segment.asSlice(first, length).asByteBuffer();
      view = known;
      viewed = segment;
      viewedFrom = first;
    }
    return known.clear().limit(length);
  }

  /** When an imitated network would have delivered it, by {@link System#nanoTime}. */
  long arrival() {
    return arrival;
  }

  /** When it was all there, once it is; by {@link System#nanoTime}. */
  long arrived() {
    return completed - arrival > 0 ? completed : arrival;
  }

  void setArrival(long time) {
    arrival = time;
  }

  @Override
  public String toString() {
    return bytes + " bytes of " + kind + (outgoing ? " to rank " : " from rank ") + peer;
  }
}
