package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a run, or some of them, as one of them sees the others.
 *
 * <p>Collectives are called by all workers of a group in the same order; several may be under way
 * at once. What has no word for waiting in its name waits; {@code start…} returns at once, and
 * computation can go on until {@link Pending#await}. Calls of one group come from one thread,
 * except {@link #send}, {@link #receive}, {@link #at} and {@link #fail}.
 *
 * <p>A group takes its memory from the budget that it was made with, and gives it back when it is
 * closed. In a group of one all collectives leave values as they are and return at once.
 *
 * <p>When a worker dies, hangs or throws, everything that others await from anyone fails with one
 * {@link GroupException} that names the first cause. A failed group can only be closed. Memory that
 * was handed over may be freed when what it was for has been awaited, or else after the group is
 * closed.
 */
public final class Group implements AutoCloseable {
  /** What a worker that is alone waits for. */
  static final Pending NOTHING = () -> {};

  private final Transport transport;
  private final List<Integer> ranks;
  private final int rank;
  private final int id;
  private final boolean whole;
  private final Memory memory;
  private final List<AllReduce> sums = new ArrayList<>();
  private final List<AllReduce> sumsUnderWay = new ArrayList<>();
  private final List<Group> subgroups = new ArrayList<>();
  private MemorySegment scratch = MemorySegment.NULL;
  private int lastNumber;

  private Group(Transport transport, Members members, Memory memory) {
    this.transport = transport;
    this.memory = memory;
    ranks = members.ranks;
    id = members.id;
    whole = members.whole;
    rank = ranks.indexOf(transport.member().rank());
  }

  /**
   * Who belongs to a group.
   *
   * @param ranks in the whole run
   * @param id what its members agree on, and no other group of these workers has
   * @param whole whether it is all workers of the run
   */
  private record Members(List<Integer> ranks, int id, boolean whole) {}

  /** All workers that a transport connects; what their group needs is taken from a budget. */
  static Group of(Transport transport, Memory budget) {
    List<Integer> everyone = IntStream.range(0, transport.member().size()).boxed().toList();
    return new Group(transport, new Members(everyone, 0, true), budget.child());
  }

  /**
   * The group of a worker that is alone: rank 0 of 1. Collectives return at once and leave values
   * as they are; no thread is started, and no memory is taken.
   */
  public static Group alone() {
    return threads(1, GroupSettings.DEFAULT).getFirst();
  }

  /** Workers that are threads of this JVM: a group for each. See also {@link LocalWorkers}. */
  public static List<Group> threads(int size, GroupSettings settings) {
    return threads(size, settings, new Memory());
  }

  /**
   * Workers that are threads of this JVM, a group for each.
   *
   * @param budget what all these groups need counts in it, and is given back when they are closed
   */
  public static List<Group> threads(int size, GroupSettings settings, Memory budget) {
    if (size < 1) {
      throw new IllegalArgumentException("a group needs a worker, not " + size);
    }
    return ThreadTransport.of(size, settings).stream().map(end -> of(end, budget)).toList();
  }

  /**
   * Meets the other workers of a run, each in a process of its own, and returns when it is
   * connected to all of them.
   *
   * @throws GroupException when they do not come in time, or this one is refused
   */
  public static Group join(JoinSettings settings) {
    return join(settings, new Memory());
  }

  /**
   * Meets the other workers of a run, as {@link #join(JoinSettings)} does.
   *
   * @param budget what the group and its connections need counts in it, and is given back when the
   *     group is closed
   * @throws MemoryLimitException when the connections need more than the budget has left
   */
  public static Group join(JoinSettings settings, Memory budget) {
    return of(Rendezvous.join(settings, budget), budget);
  }

  /** This worker's place among the group's, from 0. */
  public int rank() {
    return rank;
  }

  public int size() {
    return ranks.size();
  }

  /** Says how far this worker has come, like "epoch 3, layer 2", for the errors of all. */
  public void at(String place) {
    transport.member().at(place);
  }

  /** Imitates another link to a worker for what this one sends from now on. */
  public void imitate(int peer, Link link) {
    transport.imitate(inRun(peer), link);
  }

  /** What this worker has sent so far, by kind and by peer's rank in the whole run. */
  public Traffic traffic() {
    return transport.member().traffic().snapshot();
  }

  /** Ends the run at all workers, for something that went wrong at this one. */
  public void fail(Throwable cause) {
    Member member = transport.member();
    transport.fail(
        cause instanceof GroupException known
            ? known
            : member.blame(member.rank(), cause.toString(), cause));
  }

  /** The first cause, once the run has failed. */
  public @Nullable GroupException failure() {
    return transport.member().failure();
  }

  /**
   * Some of this group's workers as a group of their own.
   *
   * <p>All workers of this group make their subgroups in the same order, each with the list that it
   * is in. Closed with the run.
   *
   * @param members ranks in this group, in the order of their ranks in the new one
   */
  public Group subgroup(int... members) {
    // An id that the members agree on and that other groups of the same workers do not have; plus
    // one, because the draw of 0 by 0, the first of the whole group, is its own id, 0.
    int subId = (int) Draws.at(id + 1L, nextNumber());
    List<Integer> inRun = IntStream.of(members).mapToObj(ranks::get).toList();
    if (!inRun.contains(transport.member().rank())) {
      throw new IllegalArgumentException("rank " + rank + " is not in the subgroup it makes");
    }
    Group group = new Group(transport, new Members(inRun, subId, false), memory.child());
    subgroups.add(group);
    return group;
  }

  /**
   * Sends off-heap memory to a worker, which receives as many bytes by the same tag.
   *
   * @param tag not negative; messages of one tag keep their order
   */
  public Pending send(int peer, int tag, Kind kind, MemorySegment bytes) {
    Transfer transfer = to(peer, kind);
    transfer.start(userTag(tag), bytes);
    return transfer;
  }

  /** Receives into off-heap memory what a worker sends by a tag. */
  public Pending receive(int peer, int tag, Kind kind, MemorySegment into) {
    Transfer transfer = from(peer, kind);
    transfer.start(userTag(tag), into);
    return transfer;
  }

  private long userTag(int tag) {
    if (tag < 0) {
      throw new IllegalArgumentException("a tag must not be negative: " + tag);
    }
    return tag(tag);
  }

  /** Replaces floats by their sum over all workers, in rank order: the same bits everywhere. */
  public void sum(Kind kind, MemorySegment floats) {
    startSum(kind, floats).await();
  }

  /**
   * Starts {@link #sum(Kind, MemorySegment)}. Sums may be awaited in any order, but before this
   * worker waits for anything else that others reach only after theirs. Plans are kept and reused
   * by length.
   */
  public Pending startSum(Kind kind, MemorySegment floats) {
    return startSum(SumType.FLOATS, kind, floats);
  }

  /** Starts a sum of floats that are there as bfloat16. */
  Pending startHalfSum(Kind kind, MemorySegment halves) {
    return startSum(SumType.HALVES, kind, halves);
  }

  /** Replaces values by their sums over all workers. */
  public void sum(double[] values) {
    if (size() == 1) {
      return;
    }
    MemorySegment copy = scratch(values.length);
    MemorySegment.copy(values, 0, copy, JAVA_DOUBLE, 0, values.length);
    startSum(SumType.DOUBLES, Kind.CONTROL, copy).await();
    MemorySegment.copy(copy, JAVA_DOUBLE, 0, values, 0, values.length);
  }

  /** Replaces values by their sums over all workers. */
  public void sum(long[] values) {
    if (size() == 1) {
      return;
    }
    MemorySegment copy = scratch(values.length);
    MemorySegment.copy(values, 0, copy, JAVA_LONG, 0, values.length);
    startSum(SumType.LONGS, Kind.CONTROL, copy).await();
    MemorySegment.copy(copy, JAVA_LONG, 0, values, 0, values.length);
  }

  /** Eight bytes a value. */
  private MemorySegment scratch(int values) {
    if (scratch.byteSize() < 8L * values) {
      scratch = memory.allocateLongs(values);
    }
    return scratch.asSlice(0, 8L * values);
  }

  private Pending startSum(SumType type, Kind kind, MemorySegment values) {
    if (size() == 1) {
      return NOTHING;
    }
    long count = values.byteSize() / type.bytes();
    // Which plan is taken depends on what is under way here; the tag, only on the order of calls.
    long shareTag = nextTag();
    long sumTag = nextTag();
    AllReduce plan = null;
    for (AllReduce known : sums) {
      if (known.fits(type, count, kind)) {
        plan = known;
        break;
      }
    }
    if (plan == null) {
      plan = new AllReduce(this, memory, type, count, kind);
      sums.add(plan);
    }
    plan.start(shareTag, sumTag, values);
    return plan;
  }

  /** Gives every worker what all others have: worker r's part lies from offset r to r + 1. */
  public void allGather(Kind kind, MemorySegment all, long[] offsets) {
    startAllGather(kind, all, offsets).await();
  }

  /** Starts {@link #allGather}. */
  public Pending startAllGather(Kind kind, MemorySegment all, long[] offsets) {
    if (offsets.length != size() + 1) {
      throw new IllegalArgumentException("an all-gather needs an offset more than workers");
    }
    if (size() == 1) {
      return NOTHING;
    }
    long tag = nextTag();
    List<Transfer> transfers = new ArrayList<>();
    for (int step = 1; step < size(); step++) {
      int peer = (rank + step) % size();
      Transfer in = from(peer, kind);
      in.start(tag, all, offsets[peer], offsets[peer + 1] - offsets[peer]);
      transfers.add(in);
    }
    for (int step = 1; step < size(); step++) {
      Transfer out = to((rank + step) % size(), kind);
      out.start(tag, all, offsets[rank], offsets[rank + 1] - offsets[rank]);
      transfers.add(out);
    }
    return new Bundle(transfers);
  }

  /** Gives everyone the bytes of one worker. */
  public void broadcast(int root, Kind kind, MemorySegment bytes) {
    startBroadcast(root, kind, bytes).await();
  }

  /** Starts {@link #broadcast}. */
  public Pending startBroadcast(int root, Kind kind, MemorySegment bytes) {
    Objects.checkIndex(root, size());
    if (size() == 1) {
      return NOTHING;
    }
    long tag = nextTag();
    List<Transfer> transfers = new ArrayList<>();
    if (rank != root) {
      transfers.add(from(root, kind));
    } else {
      for (int step = 1; step < size(); step++) {
        transfers.add(to((rank + step) % size(), kind));
      }
    }
    transfers.forEach(t -> t.start(tag, bytes));
    return new Bundle(transfers);
  }

  /** Waits until all workers have come here. */
  public void barrier() {
    if (size() == 1) {
      return;
    }
    allGather(Kind.CONTROL, MemorySegment.NULL, new long[size() + 1]);
  }

  Transport transport() {
    return transport;
  }

  /** What is needed for a while can be taken from here. */
  Memory memory() {
    return memory;
  }

  /** In the order in which they were started. */
  List<AllReduce> sumsUnderWay() {
    return sumsUnderWay;
  }

  /** A transfer to a worker of this group, to be started with {@link #nextTag}s. */
  Transfer to(int peer, Kind kind) {
    return Transfer.to(transport, inRun(peer), kind);
  }

  /** A transfer from a worker of this group. */
  Transfer from(int peer, Kind kind) {
    return Transfer.from(transport, inRun(peer), kind);
  }

  private int inRun(int peer) {
    if (peer < 0 || peer >= size() || peer == rank) {
      throw new IllegalArgumentException(
          "rank " + rank + " of " + size() + " cannot talk to rank " + peer);
    }
    return ranks.get(peer);
  }

  /** A tag that no other operation of this group has; all workers take theirs in the same order. */
  long nextTag() {
    return tag(nextNumber());
  }

  /** Numbers below zero, so that they are no tags of {@link #send}. */
  private int nextNumber() {
    lastNumber = lastNumber == Integer.MIN_VALUE ? -1 : lastNumber - 1;
    return lastNumber;
  }

  private long tag(int number) {
    return (long) id << 32 | (number & 0xFFFFFFFFL);
  }

  /** Lets what was sent arrive, ends all threads and frees all memory of the group. */
  @Override
  public void close() {
    if (whole) {
      transport.close(transport.member().settings().silence());
    }
    subgroups.forEach(Group::close);
    memory.close();
  }

  @Override
  public String toString() {
    return "Group[rank " + rank + " of " + size() + "]";
  }
}
