package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * As many bytes from each worker to every other in each of some steps under way: a ring of slots, a
 * step's being its number modulo their count. Workers may be at different steps; whoever uses the
 * ring sees to it that a slot is free before another step has it. Made once; a step allocates
 * nothing.
 *
 * <p>Sending and receiving may be done by two threads, one each. Memory is the group's: what is
 * under way when a run fails may arrive until the group is closed.
 */
public final class StepRing {
  private final Group group;
  private final long bytes;
  private final List<List<MemorySegment>> slots = new ArrayList<>();
  private final List<Parcels> parcels = new ArrayList<>();

  private StepRing(Group group, Kind kind, long bytes, int count) {
    this.group = group;
    this.bytes = bytes;
    for (int slot = 0; slot < count; slot++) {
      List<MemorySegment> byRank = new ArrayList<>();
      for (int rank = 0; rank < group.size(); rank++) {
        byRank.add(group.memory().allocate(bytes).asSlice(0, bytes));
      }
      slots.add(byRank);
      parcels.add(Parcels.of(group, kind, Long.MAX_VALUE));
    }
  }

  /**
   * A ring of a group; all its workers make theirs in the same order.
   *
   * @param bytes of each message
   * @param count slots of the ring
   */
  public static StepRing of(Group group, Kind kind, long bytes, int count) {
    return new StepRing(group, kind, bytes, count);
  }

  /** Bytes of memory of such a ring. */
  public static long memoryBytes(int workers, long bytes, int count) {
    return (long) workers * count * Memory.padded(bytes);
  }

  /** How many slots there are. */
  public int slots() {
    return slots.size();
  }

  /** The bytes of a worker in a step: this one's to be written, others' when they have come. */
  public MemorySegment of(long step, int rank) {
    return slots.get(slot(step)).get(rank);
  }

  private int slot(long step) {
    return (int) (step % slots.size());
  }

  /** Makes ready to receive the bytes of all others in a step. */
  public void expect(long step) {
    for (int peer = 0; peer < group.size(); peer++) {
      if (peer != group.rank()) {
        parcels.get(slot(step)).receive(peer, of(step, peer), 0, bytes);
      }
    }
  }

  /** Starts to send this worker's bytes of a step to all others. */
  public void send(long step) {
    MemorySegment own = of(step, group.rank());
    // Not all to the same one first.
    for (int i = 1; i < group.size(); i++) {
      parcels.get(slot(step)).send((group.rank() + i) % group.size(), own, 0, bytes);
    }
  }

  /** Waits for the bytes of all others in a step. */
  public void awaitReceived(long step) {
    for (int peer = 0; peer < group.size(); peer++) {
      if (peer != group.rank()) {
        parcels.get(slot(step)).awaitReceived(peer);
      }
    }
  }

  /** Waits until this worker's bytes of a step have left. */
  public void awaitSent(long step) {
    for (int peer = 0; peer < group.size(); peer++) {
      if (peer != group.rank()) {
        parcels.get(slot(step)).awaitSent(peer);
      }
    }
  }
}
