package dev.heddle.comm;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Where a worker lets others in. Every caller is dealt with on a thread of its own and has as long
 * to prove itself as workers wait for each other; of many at once, whoever has not for longest is
 * sent away for the next, and comes again if it is a worker. So neither garbage nor silence keeps
 * anybody waiting, nor takes all threads or file descriptors.
 */
final class Door implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.heddle.comm");

  /** Callers that are dealt with at a time. */
  private static final int MOST = 64;

  /** Before accepting again after the system refused to, for lack of descriptors perhaps. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private final JoinSettings me;
  private final Handshake.Check check;
  private final Guests guests;
  private final List<ServerSocketChannel> listeners = new ArrayList<>();

  /** Callers that have not proved themselves, in the order they came; guarded by itself. */
  private final Set<SocketChannel> strangers = new LinkedHashSet<>();

  /** Takes over the wires of callers that were let in. */
  @FunctionalInterface
  interface Guests {
    void welcome(Handshake.Caller caller, Wire wire) throws IOException;
  }

  Door(JoinSettings me, Handshake.Check check, Guests guests) {
    this.me = me;
    this.check = check;
    this.guests = guests;
  }

  /** Lets callers in at one more place. */
  void open(ServerSocketChannel listener) {
    listeners.add(listener);
    Thread.ofPlatform()
        .daemon()
        .name("heddle-rank-" + me.rank() + "-door")
        .start(() -> accept(listener));
  }

  private void accept(ServerSocketChannel listener) {
    while (listener.isOpen()) {
      try {
        SocketChannel channel = listener.accept();
        sendAwayFirst(MOST - 1);
        synchronized (strangers) {
          strangers.add(channel);
        }
        // Not a virtual thread, whose touch would make the channel poll before every read.
        Thread.ofPlatform().daemon().name("heddle-handshake").start(() -> meet(channel));
      } catch (ClosedChannelException e) {
        // Everyone is here.
        return;
      } catch (IOException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "Rank " + me.rank() + " cannot accept connections now: " + e.getMessage());
        sendAwayFirst(MOST / 2);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** Closes the connections of those who came first, until so many strangers are left. */
  private void sendAwayFirst(int left) {
    synchronized (strangers) {
      for (Iterator<SocketChannel> all = strangers.iterator(); strangers.size() > left; ) {
        closeQuietly(all.next());
        all.remove();
      }
    }
  }

  private boolean isStranger(SocketChannel channel) {
    synchronized (strangers) {
      return strangers.contains(channel);
    }
  }

  private void known(SocketChannel channel) {
    synchronized (strangers) {
      strangers.remove(channel);
    }
  }

  private void meet(SocketChannel channel) {
    try {
      Wire wire;
      Handshake.Caller caller;
      try (Deadline _ = Deadline.of(channel, me.within())) {
        Endpoint.tune(channel);
        wire = Wire.answering(channel, me);
        caller = Handshake.listen(wire, me, check);
      }
      known(channel);
      guests.welcome(caller, wire);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "Rank " + me.rank() + " refused a connection: " + reason(e, channel));
      hangUp(channel);
    } finally {
      known(channel);
    }
  }

  /** A channel that was closed here says nothing of why. */
  private String reason(IOException e, SocketChannel channel) {
    if (!(e instanceof ClosedChannelException) && e.getMessage() != null) {
      return e.getMessage();
    }
    return isStranger(channel)
        ? "it did not prove itself within " + me.within().toMillis() + " ms (--wait)"
        : "others came while it did not prove itself";
  }

  /**
   * Closes a connection after the other end has heard why: closed with bytes unread, what was
   * written last would be lost with them.
   */
  static void hangUp(SocketChannel channel) {
    try (channel;
        Deadline _ = Deadline.of(channel, FAREWELL)) {
      channel.shutdownOutput();
      ByteBuffer unread = ByteBuffer.allocate(4 << 10);
      while (channel.read(unread.clear()) >= 0) {
        // Until it closes too, or time is up.
      }
    } catch (IOException e) {
      // It is gone, which is all that was wanted.
    }
  }

  static void closeQuietly(Closeable connection) {
    try {
      connection.close();
    } catch (IOException e) {
      // It is gone, which is all that was wanted.
    }
  }

  @Override
  public void close() throws IOException {
    sendAwayFirst(0);
    for (ServerSocketChannel listener : listeners) {
      Endpoint place = Endpoint.of(listener);
      listener.close();
      if (place.isUnix()) {
        Files.deleteIfExists(place.path());
      }
    }
  }
}
