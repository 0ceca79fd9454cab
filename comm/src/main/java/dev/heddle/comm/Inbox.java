package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a connection, with the one thread that reads from it.
 *
 * <p>A message whose receive is posted is read into place. A small one that nobody asked for yet is
 * kept aside; when too many are, nothing more is read, and the peer's writes come to a halt.
 */
final class Inbox {
  private static final int MAX_ASIDE = 512;
  private static final int WINDOW = 1 << 30;

  private final Inflow in;
  private final Outbox outbox;
  private final TransferQueue posted = new TransferQueue();
  private final List<Aside> aside = new ArrayList<>();
  private final ArrayDeque<Aside> spare = new ArrayDeque<>();
  private final Events events;
  private boolean closing;
  private volatile boolean stalled;
  private volatile boolean peerLeft;
  private volatile int peerWaitsFor = Member.NOBODY;
  private volatile @Nullable Transfer current;
  private long sequence;

  /** What a reader tells its transport. */
  interface Events {
    void failedElsewhere(GroupException cause);

    /** Something is wrong with the peer. */
    void blame(String what);
  }

  /** A small message that came early. */
  private static final class Aside {
    private long tag;
    private int length;
    private byte[] bytes = new byte[256];

    void hold(long ofTag, int ofLength) {
      tag = ofTag;
      length = ofLength;
      if (bytes.length < ofLength) {
        bytes = new byte[ofLength];
      }
    }
  }

  Inbox(Inflow in, Outbox outbox, Events events) {
    this.in = in;
    this.outbox = outbox;
    this.events = events;
  }

  void receive(Transfer transfer) {
    Aside early;
    synchronized (this) {
      early = takeAside(transfer.tag());
      if (early == null) {
        posted.add(transfer);
      }
    }
    if (early != null) {
      deliver(early, transfer);
    } else if (peerLeft) {
      events.blame("left while others need it");
    } else if (transfer.bytes() > Outbox.EAGER_BYTES) {
      outbox.announce(transfer.tag());
    }
  }

  private @Nullable Aside takeAside(long tag) {
    for (int i = 0; i < aside.size(); i++) {
      if (aside.get(i).tag == tag) {
        return aside.remove(i);
      }
    }
    return null;
  }

  private void deliver(Aside message, Transfer transfer) {
    if (!transfer.takes(message.length)) {
      misfit(transfer, message.length);
      return;
    }
    MemorySegment.copy(
        message.bytes, 0, transfer.segment(), JAVA_BYTE, transfer.offset(), message.length);
    synchronized (this) {
      spare.add(message);
      notifyAll();
    }
    transfer.complete();
  }

  private void misfit(Transfer transfer, long length) {
    synchronized (this) {
      posted.add(transfer); // Where the failure finds whoever waits for it.
    }
    events.blame("sent " + length + " bytes instead of " + transfer);
  }

  synchronized void fail() {
    closing = true;
    posted.wakeAll();
    Transfer read = current;
    if (read != null) {
      read.wake();
    }
    notifyAll();
  }

  /** From now on what comes is dropped. */
  synchronized void close() {
    closing = true;
    notifyAll();
  }

  /** Whether the peer, if it is alive, must have been heard lately. */
  boolean listens() {
    return !stalled && !peerLeft;
  }

  /** By its last sign of life. */
  int peerWaitsFor() {
    return peerWaitsFor;
  }

  boolean peerLeft() {
    return peerLeft;
  }

  /** Reads until the peer has left; throws when it goes without a word. */
  void run() throws IOException, InterruptedException {
    while (!peerLeft) {
      ByteBuffer header = in.require(Frame.BYTES);
      Frame.Type type = Frame.type(header, sequence++);
      long tag = Frame.tag(header);
      long length = Frame.length(header);
      header.position(header.position() + Frame.BYTES);
      switch (type) {
        case MESSAGE -> message(tag, length);
        case READY -> outbox.peerIsReady(tag);
        case ALIVE -> peerWaitsFor = (int) tag;
        case FAILED -> {
          byte[] cause = new byte[(int) Math.min(length, Frame.MAX_CONTROL)];
          in.read(ByteBuffer.wrap(cause));
          peerLeft = true;
          events.failedElsewhere(Cause.decode(cause));
        }
        case BYE -> leave();
      }
    }
  }

  private void leave() {
    peerLeft = true;
    boolean missed;
    synchronized (this) {
      missed = posted.first() != null && !closing;
    }
    if (missed || outbox.needsPeer()) {
      events.blame("left while others need it");
    }
  }

  private void message(long tag, long length) throws IOException, InterruptedException {
    Transfer transfer;
    synchronized (this) {
      transfer = posted.take(tag);
      current = transfer;
    }
    if (transfer == null) {
      early(tag, length);
    } else if (!transfer.takes(length)) {
      misfit(transfer, length);
      throw new IOException("sent a message of the wrong size");
    } else {
      for (long at = 0; at < length; at += WINDOW) {
        in.read(transfer.view(at, (int) Math.min(WINDOW, length - at)));
      }
      current = null;
      transfer.complete();
    }
  }

  private void early(long tag, long length) throws IOException, InterruptedException {
    if (length > Outbox.EAGER_BYTES) {
      throw new IOException("sent " + length + " bytes that nobody was ready for");
    }
    Aside message = room();
    message.hold(tag, (int) length);
    in.read(ByteBuffer.wrap(message.bytes, 0, (int) length));
    Transfer transfer;
    synchronized (this) {
      // Asked for while it was being read?
      transfer = posted.take(tag);
      if (transfer == null) {
        aside.add(message);
      }
    }
    if (transfer != null) {
      deliver(message, transfer);
    }
  }

  /** A place for an early message; waits while there are too many. */
  private synchronized Aside room() throws InterruptedException {
    stalled = true;
    while (aside.size() >= MAX_ASIDE && !closing) {
      wait(1000);
    }
    stalled = false;
    Aside place = spare.poll();
    return place == null ? new Aside() : place;
  }
}
