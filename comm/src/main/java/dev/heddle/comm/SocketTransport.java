package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Workers that are processes, of one host or several: a connection for every pair, which both ends
 * have authenticated before they come here ({@link Rendezvous}).
 */
final class SocketTransport implements Transport {
  /** After a failure nobody needs long to say so. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  /** In a silence; signs of life come twice as often at least. */
  private static final int LOOKS = 8;

  private final Member member;
  private final Memory memory;
  private final List<@Nullable Connection> connections = new ArrayList<>();
  private final Thread watch;
  private volatile boolean closing;

  private SocketTransport(Member member, Map<Integer, Wire> wires, Memory memory) {
    this.member = member;
    this.memory = memory;
    for (int peer = 0; peer < member.size(); peer++) {
      Wire wire = wires.get(peer);
      connections.add(
          wire == null ? null : new Connection(wire, member, peer, events(peer), memory.child()));
    }
    watch =
        Thread.ofPlatform()
            .daemon()
            .name("heddle-rank-" + member.rank() + "-watch")
            .unstarted(this::watch);
  }

  /** A transport over a wire to every other rank, with buffers out of a budget. */
  static SocketTransport over(Member member, Map<Integer, Wire> wires, Memory budget) {
    Memory memory = budget.child();
    SocketTransport transport;
    try {
      transport = new SocketTransport(member, wires, memory);
    } catch (MemoryLimitException e) {
      memory.close();
      throw e;
    }
    for (Connection connection : transport.connected()) {
      connection.start();
    }
    transport.watch.start();
    return transport;
  }

  private Inbox.Events events(int peer) {
    return new Inbox.Events() {
      @Override
      public void failedElsewhere(GroupException cause) {
        fail(cause);
      }

      @Override
      public void blame(String what) {
        if (!closing) {
          fail(member.blame(peer, what, null));
        }
      }
    };
  }

  private List<Connection> connected() {
    List<Connection> there = new ArrayList<>();
    for (Connection connection : connections) {
      if (connection != null) {
        there.add(connection);
      }
    }
    return there;
  }

  private Connection to(int peer) {
    Connection connection = connections.get(peer);
    if (connection == null) {
      throw new IllegalArgumentException("there is no connection to rank " + peer);
    }
    return connection;
  }

  @Override
  public Member member() {
    return member;
  }

  @Override
  public void send(Transfer transfer) {
    if (!to(transfer.peer()).outbox().send(transfer)) {
      fail(member.blame(transfer.peer(), "left while others need it", null));
    }
  }

  @Override
  public void receive(Transfer transfer) {
    to(transfer.peer()).inbox().receive(transfer);
  }

  @Override
  public void imitate(int peer, Link link) {
    to(peer).outbox().imitate(link);
  }

  @Override
  public int waitsFor(int peer) {
    return to(peer).inbox().peerWaitsFor();
  }

  @Override
  public void fail(GroupException cause) {
    if (member.note(cause)) {
      connected().forEach(Connection::fail);
    }
  }

  /**
   * Looks again and again whether all peers were heard. Silence is counted in looks, not by the
   * clock, so that a pause of this very process is not taken for one of all others.
   */
  private void watch() {
    Duration silence = member.settings().silence();
    try {
      while (!closing) {
        Thread.sleep(silence.dividedBy(LOOKS));
        if (member.failure() != null) {
          // Whoever is stuck in a write, to a peer that reads no more, must hear of it too.
          Thread.sleep(LAST_WORDS);
          connected().forEach(Connection::cut);
          return;
        }
        for (int peer = 0; peer < connections.size(); peer++) {
          Connection connection = connections.get(peer);
          if (connection != null && connection.looksInVain() >= LOOKS && !closing) {
            String what = "gave no sign of life for " + silence.toMillis() + " ms";
            fail(member.blame(peer, what, null));
          }
        }
      }
    } catch (InterruptedException e) {
      // Closing.
    }
  }

  @Override
  public void close(Duration linger) {
    boolean failed = member.failure() != null;
    Duration patience = failed && LAST_WORDS.compareTo(linger) < 0 ? LAST_WORDS : linger;
    long deadline = System.nanoTime() + patience.toNanos();
    closing = true;
    List<Connection> all = connected();
    all.forEach(Connection::finish);
    boolean interrupted = false;
    for (Connection connection : all) {
      try {
        if (!interrupted) {
          connection.awaitEnd(deadline);
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    all.forEach(Connection::cut);
    watch.interrupt();
    try {
      for (Connection connection : all) {
        connection.awaitEnd(System.nanoTime() + LAST_WORDS.toNanos());
      }
      watch.join(LAST_WORDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    boolean freed = true;
    for (Connection connection : all) {
      freed &= connection.free();
    }
    if (freed) {
      memory.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Bytes that came from a peer, headers and all. */
  long received(int peer) {
    return to(peer).received();
  }

  /** Breaks a connection as a network does; for tests. */
  void cut(int peer) {
    to(peer).cut();
  }
}
