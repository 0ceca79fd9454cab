package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How processes become a group. Rank 0 listens where all know; the others call, say where they
 * listen, and are told where everyone does once all have come. Then each calls all lower ranks, by
 * Unix socket within a machine. Every connection begins with a {@link Handshake}; all ends at one
 * deadline.
 */
final class Rendezvous implements Handshake.Check, Door.Guests {
  private static final Duration RETRY = Duration.ofMillis(50);
  private static final int MAX_TABLE = 16 << 20;

  private final JoinSettings me;
  private final long deadline;
  private final Door door;

  // Guarded by this.
  private final Set<Handshake.Caller> known = new HashSet<>();
  private final TreeMap<Integer, Newcomer> newcomers = new TreeMap<>();
  private final Map<Integer, Wire> pairs = new HashMap<>();

  /** One that waits for the table of addresses. */
  private record Newcomer(Address address, Wire wire) {}

  private Rendezvous(JoinSettings me) {
    this.me = me;
    deadline = System.nanoTime() + me.within().toNanos();
    door = new Door(me, this, this);
  }

  /** A worker that has met nobody yet. */
  static Rendezvous of(JoinSettings me) {
    return new Rendezvous(me);
  }

  /** Connects this worker to all others; what the connections need is taken from a budget. */
  static SocketTransport join(JoinSettings me, Memory budget) {
    Rendezvous rendezvous = of(me);
    try {
      return rendezvous.meet(budget);
    } catch (IOException e) {
      rendezvous.hangUp();
      throw rendezvous.failure(me.rank(), String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      rendezvous.hangUp();
      Thread.currentThread().interrupt();
      throw rendezvous.failure(me.rank(), "was interrupted", e);
    } catch (RuntimeException e) {
      rendezvous.hangUp();
      throw e;
    }
  }

  private GroupException failure(int rank, String what, @Nullable Throwable cause) {
    String host = rank == me.rank() ? Address.here(List.of()).host() : "an unknown host";
    return new GroupException(rank, host, "the rendezvous at " + me.rendezvous(), what, cause);
  }

  private SocketTransport meet(Memory budget) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("heddle-");
    try (door) {
      List<Address> table = me.rank() == 0 ? gather(folder) : introduce(folder);
      for (int peer = 0; peer < me.rank(); peer++) {
        Wire wire = reach(table.get(peer), table.get(me.rank()), peer);
        synchronized (this) {
          pairs.put(peer, wire);
        }
      }
      awaitAll(pairs);
      List<String> hosts = table.stream().map(Address::host).toList();
      synchronized (this) {
        return SocketTransport.over(
            new Member(me.rank(), hosts, me.group()), Map.copyOf(pairs), budget);
      }
    } finally {
      Files.deleteIfExists(folder.resolve(Integer.toString(me.rank())));
      Files.deleteIfExists(folder);
    }
  }

  /** Rank 0: waits for everyone and tells everyone. */
  private List<Address> gather(Path folder) throws IOException, InterruptedException {
    List<Endpoint> endpoints = new ArrayList<>();
    if (!me.rendezvous().isUnix()) {
      openUnix(folder, endpoints);
    }
    door.open(me.rendezvous().listen());
    endpoints.add(me.rendezvous());
    do {
      awaitAll(newcomers);
    } while (forgetGone());
    synchronized (this) {
      List<Address> table = new ArrayList<>(List.of(Address.here(endpoints)));
      newcomers.values().forEach(n -> table.add(n.address));
      for (Newcomer newcomer : newcomers.values()) {
        write(newcomer.wire, table);
        newcomer.wire.close();
      }
      return table;
    }
  }

  /** Forgets those who died while they waited; they may be started again. */
  private synchronized boolean forgetGone() {
    List<Integer> gone =
        newcomers.entrySet().stream()
            .filter(newcomer -> newcomer.getValue().wire.isGone())
            .map(Map.Entry::getKey)
            .toList();
    for (int rank : gone) {
      Door.closeQuietly(Objects.requireNonNull(newcomers.remove(rank)).wire);
      known.remove(new Handshake.Caller(rank, Handshake.Purpose.JOIN));
    }
    return !gone.isEmpty();
  }

  /** All others: says where this one listens, and hears where the others do. */
  private List<Address> introduce(Path folder) throws IOException, InterruptedException {
    try (Wire wire = call(List.of(me.rendezvous()), Handshake.Purpose.JOIN, 0);
        Deadline _ = Deadline.of(wire.socket(), timeLeft())) {
      List<Endpoint> endpoints = new ArrayList<>();
      boolean inet = wire.socket().getLocalAddress() instanceof InetSocketAddress;
      if (me.unixSockets() || !inet) {
        openUnix(folder, endpoints);
      }
      if (wire.socket().getLocalAddress() instanceof InetSocketAddress here) {
        var listener = Endpoint.listen(here.getAddress());
        endpoints.add(Endpoint.of(listener));
        door.open(listener);
      }
      write(wire, List.of(Address.here(endpoints)));
      List<Address> table = read(wire);
      if (table.size() != me.world()) {
        throw new IOException("rank 0 knows of " + table.size() + " workers");
      }
      return table;
    }
  }

  private void openUnix(Path folder, List<Endpoint> endpoints) throws IOException {
    if (me.unixSockets() || me.rendezvous().isUnix()) {
      Endpoint endpoint = Endpoint.unix(folder.resolve(Integer.toString(me.rank())));
      door.open(endpoint.listen());
      endpoints.add(endpoint);
    }
  }

  private Wire reach(Address peer, Address here, int rank)
      throws IOException, InterruptedException {
    return call(peer.reachableFrom(here), Handshake.Purpose.PAIR, rank);
  }

  /** Calls until someone answers. */
  private Wire call(List<Endpoint> places, Handshake.Purpose purpose, int rank)
      throws IOException, InterruptedException {
    while (true) {
      IOException last = new IOException("there is no way to reach rank " + rank);
      for (Endpoint place : places) {
        try {
          return call(place, purpose, rank);
        } catch (Refusal e) {
          throw new IOException("no connection to rank " + rank + ": " + e.getMessage(), e);
        } catch (IOException e) {
          last = e;
        }
      }
      if (timeLeft().compareTo(RETRY) <= 0) {
        throw failure(rank, "did not answer within " + me.within().toMillis() + " ms", last);
      }
      Thread.sleep(RETRY);
    }
  }

  private Wire call(Endpoint place, Handshake.Purpose purpose, int rank) throws IOException {
    SocketChannel channel = place.connect();
    try (Deadline _ = Deadline.of(channel, timeLeft())) {
      Wire wire = Wire.calling(channel, me);
      Handshake.call(wire, me, purpose, rank);
      return wire;
    } catch (IOException e) {
      Door.hangUp(channel);
      throw e;
    }
  }

  @Override
  public synchronized void admit(Handshake.Caller caller) throws Refusal {
    boolean expected =
        caller.purpose() == Handshake.Purpose.JOIN
            ? me.rank() == 0 && caller.rank() > 0
            : caller.rank() > me.rank();
    if (!expected) {
      throw new Refusal("rank " + caller.rank() + " has no business here");
    }
    if (!known.add(caller) && !replaces(caller)) {
      throw new Refusal("there is a rank " + caller.rank() + " already");
    }
  }

  /** Whether a caller comes in place of one that was here and is gone. */
  private boolean replaces(Handshake.Caller caller) {
    Newcomer before = newcomers.get(caller.rank());
    if (caller.purpose() != Handshake.Purpose.JOIN || before == null || !before.wire.isGone()) {
      return false;
    }
    newcomers.remove(caller.rank());
    Door.closeQuietly(before.wire);
    return true;
  }

  @Override
  public void welcome(Handshake.Caller caller, Wire wire) throws IOException {
    if (caller.purpose() == Handshake.Purpose.JOIN) {
      List<Address> address;
      try (Deadline _ = Deadline.of(wire.socket(), timeLeft())) {
        address = read(wire);
      } catch (IOException e) {
        synchronized (this) {
          known.remove(caller);
        }
        throw e;
      }
      synchronized (this) {
        newcomers.put(caller.rank(), new Newcomer(address.getFirst(), wire));
        notifyAll();
      }
    } else {
      synchronized (this) {
        pairs.put(caller.rank(), wire);
        notifyAll();
      }
    }
  }

  /** Waits until there is something of all other ranks. */
  private synchronized void awaitAll(Map<Integer, ?> there) throws InterruptedException {
    while (there.size() < me.world() - 1) {
      long left = timeLeft().toNanos();
      if (left <= 1) {
        List<Integer> missing =
            IntStream.range(0, me.world())
                .filter(r -> r != me.rank() && !there.containsKey(r))
                .boxed()
                .toList();
        String what = "ranks " + missing + " did not come within " + me.within().toMillis() + " ms";
        throw failure(missing.getFirst(), what, null);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private Duration timeLeft() {
    return Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
  }

  private synchronized void hangUp() {
    newcomers.values().forEach(n -> Door.closeQuietly(n.wire));
    pairs.values().forEach(Door::closeQuietly);
  }

  private static void write(Wire wire, List<Address> addresses) throws IOException {
    byte[] bytes = Address.encode(addresses);
    wire.write(ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).flip());
  }

  private static List<Address> read(Wire wire) throws IOException {
    int length = wire.read(4).getInt();
    if (length < 0 || length > MAX_TABLE) {
      throw new IOException("a table of " + length + " bytes is none");
    }
    return Address.decode(wire.read(length).array());
  }
}
