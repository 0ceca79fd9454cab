package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a connection, with the thread that writes to it.
 *
 * <p>Small messages go out at once, written by the caller if nothing else is. Large ones wait until
 * the receiver says that memory is ready for them: then they are read from the socket into place,
 * nothing is ever held in between, and two workers that send to each other cannot block. Messages
 * of one tag keep their order; among others, those go first that someone waits for.
 */
final class Outbox {
  /** Up to here a message may arrive before anyone asked for it. */
  static final int EAGER_BYTES = 32 << 10;

  /** A view of memory can be no larger; a power of two. */
  private static final int WINDOW = 1 << 30;

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
  private static final byte[] NOTHING = {};

  private final Wire wire;
  private final Member member;
  private final int peer;
  private final Departures sendable;
  private final TransferQueue unready = new TransferQueue();
  private final Tags readyThere = new Tags();
  private final Tags readyHere = new Tags();
  private boolean closing;
  private boolean broken;
  private boolean abandoned;
  private boolean ended;

  /** Whoever sets this may write, and use all below, until it is reset. */
  private boolean writing;

  private final ByteBuffer header;
  private final ByteBuffer[] gathered;
  private long sequence;
  private volatile @Nullable Transfer current;
  private long currentTag;

  Outbox(Wire wire, Member member, int peer, Memory memory) {
    this.wire = wire;
    this.member = member;
    this.peer = peer;
    sendable = new Departures(member.settings().links().between(member.rank(), peer));
    header = Frame.header(memory);
    gathered = new ByteBuffer[] {header, EMPTY};
  }

  synchronized void imitate(Link link) {
    sendable.imitate(link);
  }

  /** Says whether the transfer is on its way: none is, once the peer is gone. */
  boolean send(Transfer transfer) {
    synchronized (this) {
      if (broken) {
        return false;
      }
      long tag = transfer.tag();
      boolean large = transfer.bytes() > EAGER_BYTES;
      if (unready.find(tag) != null || (large && !readyThere.remove(tag))) {
        unready.add(transfer);
        return true;
      }
      if (large || !idle() || !sendable.immediate()) {
        sendable.add(transfer);
        notifyAll();
        return true;
      }
      writing = true;
      current = transfer;
    }
    // Nobody is writing: a small message need not wait for the writing thread to wake up.
    boolean written = false;
    try {
      message();
      written = true;
    } catch (IOException e) {
      // The writing thread will meet the same error, and knows what to make of it.
    } finally {
      handOver(written ? null : transfer);
    }
    return true;
  }

  private boolean idle() {
    return !writing && !ended && sendable.isEmpty() && readyHere.isEmpty();
  }

  private synchronized void handOver(@Nullable Transfer failed) {
    writing = false;
    if (failed != null) {
      sendable.putBack(failed);
    }
    if (closing || !idle()) {
      notifyAll();
    }
  }

  /** Nothing can be written any more; says whether anything was to be. */
  synchronized boolean breakOff() {
    broken = true;
    return current != null || !sendable.isEmpty() || unready.first() != null;
  }

  /** The peer has memory for the next large message of a tag. */
  synchronized void peerIsReady(long tag) {
    Transfer large = unready.take(tag);
    if (large == null) {
      readyThere.add(tag);
      return;
    }
    sendable.add(large);
    for (Transfer t = unready.find(tag); t != null; t = unready.find(tag)) {
      if (t.bytes() > EAGER_BYTES) {
        break;
      }
      unready.take(tag);
      sendable.add(t); // A small one that had to stay behind the large one.
    }
    notifyAll();
  }

  /** Tells the peer that memory is ready for a large message. */
  void announce(long tag) {
    synchronized (this) {
      if (!idle()) {
        readyHere.add(tag);
        notifyAll();
        return;
      }
      writing = true;
    }
    try {
      control(Frame.Type.READY, tag, NOTHING);
    } catch (IOException e) {
      // The reading thread will meet the same error, and knows what to make of it.
    } finally {
      handOver(null);
    }
  }

  /** Whether anything still waits for the peer to get ready. */
  synchronized boolean needsPeer() {
    return unready.first() != null;
  }

  /** Ends after what is there; after a failure, without it. */
  synchronized void close() {
    closing = true;
    notifyAll();
  }

  /** Makes whoever waits for a send look for the failure, and tells the peer. */
  synchronized void fail() {
    sendable.wakeAll();
    unready.wakeAll();
    Transfer written = current;
    if (written != null) {
      written.wake();
    }
    closing = true;
    notifyAll();
  }

  /** The socket is closed: ends at once, whatever still waits for the peer or for the link. */
  synchronized void abandon() {
    abandoned = true;
    notifyAll();
  }

  /** Writes until told to end; returns when nothing more will be written. */
  void run() throws IOException, InterruptedException {
    boolean last = false;
    while (!last) {
      Frame.Type type = next();
      switch (type) {
        case MESSAGE -> message();
        case READY -> control(type, currentTag, NOTHING);
        case FAILED -> control(type, 0, Cause.encode(member.failure()));
        case ALIVE -> control(type, member.waitsFor(), NOTHING);
        case BYE -> control(type, 0, NOTHING);
      }
      last = type == Frame.Type.FAILED || type == Frame.Type.BYE;
      synchronized (this) {
        writing = false;
      }
    }
    wire.shutdownOutput();
  }

  /** Waits for something to write, at most until it is time for a sign of life. */
  private synchronized Frame.Type next() throws IOException, InterruptedException {
    long idleUntil = System.nanoTime() + member.settings().silence().toNanos() / 4;
    while (true) {
      if (abandoned) {
        throw new ClosedChannelException();
      }
      long now = System.nanoTime();
      if (!writing) {
        Frame.Type type = choose(now, idleUntil);
        if (type != null) {
          writing = true;
          return type;
        }
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, sendable.next(idleUntil) - now));
    }
  }

  private Frame.@Nullable Type choose(long now, long idleUntil) {
    if (member.failure() != null) {
      ended = true;
      return Frame.Type.FAILED;
    }
    if (!readyHere.isEmpty()) {
      currentTag = readyHere.poll();
      return Frame.Type.READY;
    }
    Transfer arrived = sendable.poll(now);
    if (arrived != null) {
      current = arrived;
      return Frame.Type.MESSAGE;
    }
    if (closing && sendable.isEmpty() && unready.first() == null) {
      ended = true;
      return Frame.Type.BYE;
    }
    return idleUntil - now <= 0 ? Frame.Type.ALIVE : null;
  }

  private void message() throws IOException {
    Transfer transfer = current;
    if (transfer == null) {
      return;
    }
    long began = System.nanoTime();
    long bytes = transfer.bytes();
    Frame.write(header, Frame.Type.MESSAGE, transfer.kind(), transfer.tag(), bytes, sequence++);
    for (long at = 0; at < bytes; at += WINDOW) {
      writeFully(transfer.view(at, (int) Math.min(WINDOW, bytes - at)));
    }
    writeFully(EMPTY); // If there was no payload to go with.
    member.traffic().framing(transfer.kind(), peer, Frame.BYTES);
    member.traffic().transferred(transfer.kind(), peer, System.nanoTime() - began);
    current = null;
    // What the imitated network delays is the arrival; the memory is free.
    transfer.setArrival(began);
    transfer.complete();
  }

  private void control(Frame.Type type, long tag, byte[] payload) throws IOException {
    Frame.write(header, type, Kind.CONTROL, tag, payload.length, sequence++);
    writeFully(payload.length == 0 ? EMPTY : ByteBuffer.wrap(payload));
    member.traffic().framing(Kind.CONTROL, peer, Frame.BYTES + (long) payload.length);
  }

  /** Writes what is left of the header, and then a payload. */
  private void writeFully(ByteBuffer payload) throws IOException {
    gathered[1] = payload;
    while (header.hasRemaining() || payload.hasRemaining()) {
      wire.write(gathered, 0, 2);
    }
  }
}
