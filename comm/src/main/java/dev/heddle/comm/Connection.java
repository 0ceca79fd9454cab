package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.io.EOFException;
import java.io.IOException;

/** The wire between this worker and another, and the two threads that serve it. */
final class Connection {
  private final Wire wire;
  private final Memory memory;
  private final Inflow in;
  private final Outbox outbox;
  private final Inbox inbox;
  private final Inbox.Events events;
  private final Thread writer;
  private final Thread reader;

  // Of the watching thread alone.
  private long heardBefore = -1;
  private int looksInVain;

  Connection(Wire wire, Member member, int peer, Inbox.Events events, Memory memory) {
    this.wire = wire;
    this.memory = memory;
    this.events = events;
    in = new Inflow(wire, memory);
    outbox = new Outbox(wire, member, peer, memory);
    inbox = new Inbox(in, outbox, events);
    String name = "heddle-rank-" + member.rank();
    writer = Thread.ofPlatform().daemon().name(name + "-to-" + peer).unstarted(this::write);
    reader = Thread.ofPlatform().daemon().name(name + "-from-" + peer).unstarted(this::read);
  }

  void start() {
    writer.start();
    reader.start();
  }

  Outbox outbox() {
    return outbox;
  }

  Inbox inbox() {
    return inbox;
  }

  long received() {
    return in.received();
  }

  /** How often in a row this was asked and nothing had come from a peer that should be heard. */
  int looksInVain() {
    long heard = in.received();
    looksInVain = inbox.listens() && heard == heardBefore ? looksInVain + 1 : 0;
    heardBefore = heard;
    return looksInVain;
  }

  private void write() {
    try {
      outbox.run();
    } catch (IOException e) {
      // The reader knows better: it has seen what the peer said before it went, if anything.
      awaitReader();
      boolean missed = outbox.breakOff();
      if (inbox.peerLeft() && missed) {
        events.blame("left while others need it");
      } else {
        lost(e);
      }
    } catch (InterruptedException | RuntimeException e) {
      outbox.breakOff();
      lost(e);
    }
  }

  private void awaitReader() {
    try {
      reader.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read() {
    try {
      inbox.run();
    } catch (IOException | InterruptedException | RuntimeException e) {
      lost(e);
    }
  }

  private void lost(Exception e) {
    if (!inbox.peerLeft()) {
      String words = e.getMessage();
      events.blame(
          e instanceof EOFException && words != null ? words : "lost the connection: " + e);
    }
  }

  /** Makes all that is under way fail. */
  void fail() {
    outbox.fail();
    inbox.fail();
  }

  /** Ends sending after what is there, and receiving. */
  void finish() {
    outbox.close();
    inbox.close();
  }

  /** Waits for both threads, not longer than to a deadline. */
  void awaitEnd(long deadline) throws InterruptedException {
    for (Thread thread : new Thread[] {writer, reader}) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      thread.join(Math.max(1, left));
    }
  }

  /** Gives memory back, unless a thread still uses it; says whether it did. */
  boolean free() {
    boolean unused = !writer.isAlive() && !reader.isAlive();
    if (unused) {
      memory.close();
    }
    return unused;
  }

  /** Closes the socket, whatever is under way. */
  void cut() {
    try {
      wire.close();
    } catch (IOException e) {
      // It is gone, which is all that was wanted.
    }
    outbox.abandon();
  }
}
