package dev.heddle.comm;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a worker lets others in. Every caller is dealt with on a thread of its own and has a few
 * seconds to prove itself: what comes as garbage, or not at all, keeps nobody waiting.
 */
final class Door implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.heddle.comm");
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private final JoinSettings me;
  private final Handshake.Check check;
  private final Guests guests;
  private final List<ServerSocketChannel> listeners = new ArrayList<>();

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
    try {
      while (true) {
        SocketChannel channel = listener.accept();
        // Not a virtual thread, whose touch would make the channel poll before every read.
        Thread.ofPlatform().daemon().name("heddle-handshake").start(() -> meet(channel));
      }
    } catch (IOException e) {
      // Closed: everyone is here.
    }
  }

  private void meet(SocketChannel channel) {
    try {
      Wire wire;
      Handshake.Caller caller;
      try (Deadline _ = Deadline.of(channel, PATIENCE)) {
        Endpoint.tune(channel);
        wire = Wire.answering(channel, me);
        caller = Handshake.listen(wire, me, check);
      }
      guests.welcome(caller, wire);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "Rank " + me.rank() + " refused a connection: " + e.getMessage());
      hangUp(channel);
    }
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
    for (ServerSocketChannel listener : listeners) {
      Endpoint place = Endpoint.of(listener);
      listener.close();
      if (place.isUnix()) {
        Files.deleteIfExists(place.path());
      }
    }
  }
}
