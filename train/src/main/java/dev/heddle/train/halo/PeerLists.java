package dev.heddle.train.halo;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Pending;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Lists of numbers that every worker has for every other, told once in a while. */
final class PeerLists {
  private PeerLists() {}

  /**
   * Gives each worker its list, and returns theirs for this one; empty ones do not travel.
   *
   * @param memory of which some is taken until all lists have arrived
   * @param lengths of the lists that come
   */
  static int[][] exchange(Group group, Memory memory, int[][] lists, int[] lengths) {
    int k = group.size();
    int[][] got = new int[k][];
    try (Memory scratch = memory.child()) {
      List<Pending> sends = new ArrayList<>();
      for (int peer = 0; peer < k; peer++) {
        int n = lists[peer].length;
        if (n > 0) {
          MemorySegment bytes = scratch.allocateInts(n).asSlice(0, 4L * n);
          MemorySegment.copy(lists[peer], 0, bytes, JAVA_INT, 0, n);
          sends.add(group.send(peer, /* tag= */ 0, Kind.CONTROL, bytes));
        }
      }
      for (int peer = 0; peer < k; peer++) {
        MemorySegment bytes = scratch.allocateInts(lengths[peer]).asSlice(0, 4L * lengths[peer]);
        if (lengths[peer] > 0) {
          group.receive(peer, /* tag= */ 0, Kind.CONTROL, bytes).await();
        }
        got[peer] = bytes.toArray(JAVA_INT);
      }
      sends.forEach(Pending::await);
    }
    return got;
  }
}
