package dev.heddle.bench;

import dev.heddle.kernel.Csr;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.SplittableRandom;

/** Training vertices that lie together: all that is next to a few places of a graph. */
final class ClusteredTrain {
  private ClusteredTrain() {}

  /**
   * A share of the vertices: equally many around each of some places, by breadth-first search along
   * in-arcs.
   */
  static int[] of(Csr in, double share, int places, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int wanted = Math.max(1, (int) (share * in.rows()));
    boolean[] taken = new boolean[in.rows()];
    int count = 0;
    while (count < wanted) {
      int most = Math.min(wanted, count + Math.ceilDiv(wanted, places));
      Deque<Integer> next = new ArrayDeque<>();
      next.add(random.nextInt(in.rows()));
      while (!next.isEmpty() && count < most) {
        int v = next.remove();
        if (taken[v]) {
          continue;
        }
        taken[v] = true;
        count++;
        for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
          next.add(in.id(arc));
        }
      }
    }
    int[] all = new int[count];
    int at = 0;
    for (int v = 0; v < taken.length; v++) {
      if (taken[v]) {
        all[at++] = v;
      }
    }
    return Arrays.copyOf(all, at);
  }
}
