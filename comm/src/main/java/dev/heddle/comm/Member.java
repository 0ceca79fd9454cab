package dev.heddle.comm;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a run: who it is, how far it has come, what it sent, and the first failure it
 * knows.
 */
final class Member {
  /** Instead of a rank. */
  static final int NOBODY = -1;

  private final int rank;
  private final List<String> hosts;
  private final GroupSettings settings;
  private final TrafficCounter traffic;
  private final AtomicReference<@Nullable GroupException> failure = new AtomicReference<>();
  private volatile String where = "the start";
  private volatile int waitsFor = NOBODY;

  Member(int rank, List<String> hosts, GroupSettings settings) {
    this.rank = rank;
    this.hosts = List.copyOf(hosts);
    this.settings = settings;
    traffic = new TrafficCounter(hosts.size());
  }

  int rank() {
    return rank;
  }

  int size() {
    return hosts.size();
  }

  GroupSettings settings() {
    return settings;
  }

  TrafficCounter traffic() {
    return traffic;
  }

  void at(String place) {
    where = place;
  }

  String where() {
    return where;
  }

  /** Says whom this worker is waiting for. */
  void waitFor(int peer) {
    waitsFor = peer;
  }

  int waitsFor() {
    return waitsFor;
  }

  @Nullable GroupException failure() {
    return failure.get();
  }

  void throwFailure() {
    GroupException first = failure.get();
    if (first != null) {
      throw first.again();
    }
  }

  /** Keeps a failure if it is the first; says whether it was. */
  boolean note(GroupException cause) {
    return failure.compareAndSet(null, cause);
  }

  /** A failure of a worker, as this one sees it. */
  GroupException blame(int culprit, String what, @Nullable Throwable cause) {
    return new GroupException(culprit, hosts.get(culprit), where, what, cause);
  }
}
