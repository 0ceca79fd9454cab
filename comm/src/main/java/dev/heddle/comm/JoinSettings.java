package dev.heddle.comm;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a process joins a run: who it is, where rank 0 waits, and the secret that all workers share.
 * The secret never travels; each end of a connection proves to the other that it knows it.
 */
public final class JoinSettings {
  private final Worker worker;
  private final Options options;

  /** What each worker must be told. */
  private record Worker(int rank, int world, String rendezvous, String secret) {}

  /** What has a default. */
  private record Options(
      String job, boolean unixSockets, Duration within, GroupSettings group, @Nullable Tls tls) {}

  private JoinSettings(Worker worker, Options options) {
    this.worker = worker;
    this.options = options;
  }

  /**
   * Settings of one worker.
   *
   * @param rendezvous {@code host:port}, or {@code unix:/path} for workers of one host; rank 0
   *     listens there and nowhere wider
   */
  public static JoinSettings of(int rank, int world, String rendezvous, String secret) {
    if (world < 1 || rank < 0 || rank >= world) {
      throw new IllegalArgumentException("there is no rank " + rank + " among " + world);
    }
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("workers need a secret to know each other by");
    }
    Endpoint.parse(rendezvous);
    return new JoinSettings(
        new Worker(rank, world, rendezvous, secret),
        new Options("heddle", true, Duration.ofMinutes(1), GroupSettings.DEFAULT, null));
  }

  /** Names the run, so that workers of another that come to the wrong place are refused. */
  public JoinSettings withJob(String name) {
    return with(new Options(name, unixSockets(), within(), group(), tls()));
  }

  /** Whether workers of one host talk by Unix domain sockets, which are faster than TCP. */
  public JoinSettings withUnixSockets(boolean allowed) {
    return with(new Options(job(), allowed, within(), group(), tls()));
  }

  /** How long to wait for the others. */
  public JoinSettings within(Duration time) {
    return with(new Options(job(), unixSockets(), time, group(), tls()));
  }

  public JoinSettings withGroup(GroupSettings settings) {
    settings.links().check(world());
    return with(new Options(job(), unixSockets(), within(), settings, tls()));
  }

  /** Encrypts every connection. */
  public JoinSettings withTls(Tls settings) {
    return with(new Options(job(), unixSockets(), within(), group(), settings));
  }

  private JoinSettings with(Options changed) {
    return new JoinSettings(worker, changed);
  }

  int rank() {
    return worker.rank;
  }

  /** How many workers there are. */
  public int world() {
    return worker.world;
  }

  Endpoint rendezvous() {
    return Endpoint.parse(worker.rendezvous);
  }

  byte[] secret() {
    return worker.secret.getBytes(StandardCharsets.UTF_8);
  }

  String job() {
    return options.job;
  }

  boolean unixSockets() {
    return options.unixSockets;
  }

  Duration within() {
    return options.within;
  }

  GroupSettings group() {
    return options.group;
  }

  @Nullable Tls tls() {
    return options.tls;
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "rank " + rank() + " of " + world() + " at " + rendezvous() + ", job " + job();
  }
}
