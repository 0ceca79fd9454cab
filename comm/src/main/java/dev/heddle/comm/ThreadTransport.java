package dev.heddle.comm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Workers that are threads of one JVM. A message is copied once, from the sender's memory into the
 * receiver's, by whichever of the two comes second; there is no thread in between.
 */
final class ThreadTransport implements Transport {
  private final Member member;
  private final List<ThreadTransport> all;
  private final List<ThreadLane> lanesOut;
  private final List<ThreadLane> lanesIn;

  private ThreadTransport(Member member, List<ThreadTransport> all, ThreadLane[][] lanes) {
    this.member = member;
    this.all = all;
    lanesOut = List.of(lanes[member.rank()]);
    List<ThreadLane> in = new ArrayList<>();
    for (ThreadLane[] from : lanes) {
      in.add(from[member.rank()]);
    }
    lanesIn = List.copyOf(in);
  }

  /** The ends of a run of so many workers. */
  static List<ThreadTransport> of(int size, GroupSettings settings) {
    settings.links().check(size);
    ThreadLane[][] lanes = new ThreadLane[size][size];
    for (int from = 0; from < size; from++) {
      for (int to = 0; to < size; to++) {
        lanes[from][to] = new ThreadLane(settings.links().between(from, to));
      }
    }
    List<String> hosts = Collections.nCopies(size, "this JVM");
    List<ThreadTransport> all = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      all.add(new ThreadTransport(new Member(rank, hosts, settings), all, lanes));
    }
    return all;
  }

  @Override
  public Member member() {
    return member;
  }

  @Override
  public void send(Transfer transfer) {
    settle(lanesOut.get(transfer.peer()).send(this, transfer), transfer);
  }

  @Override
  public void receive(Transfer transfer) {
    settle(lanesIn.get(transfer.peer()).receive(this, transfer), transfer);
  }

  @Override
  public void imitate(int peer, Link link) {
    lanesOut.get(peer).imitate(link);
  }

  private void settle(ThreadLane.Outcome outcome, Transfer transfer) {
    switch (outcome) {
      case FINE -> {}
      case LEFT -> fail(member.blame(transfer.peer(), "left while others need it", null));
      case MISFIT ->
          fail(member.blame(transfer.peer(), "disagrees on the size of " + transfer, null));
    }
  }

  @Override
  public int waitsFor(int peer) {
    return all.get(peer).member.waitsFor();
  }

  @Override
  public void fail(GroupException cause) {
    for (ThreadTransport end : all) {
      end.member.note(cause);
    }
    for (ThreadTransport end : all) {
      end.lanesOut.forEach(ThreadLane::wakeAll);
    }
  }

  @Override
  public void close(Duration linger) {
    long deadline = System.nanoTime() + linger.toNanos();
    for (ThreadLane lane : lanesOut) {
      lane.drain(member, deadline);
    }
    int missed = 0;
    for (int peer = 0; peer < member.size(); peer++) {
      missed += lanesOut.get(peer).leaveAsSender() ? 1 : 0;
      missed += lanesIn.get(peer).leaveAsReceiver() ? 1 : 0;
    }
    if (missed > 0) {
      fail(member.blame(member.rank(), "left while others need it", null));
    }
  }
}
