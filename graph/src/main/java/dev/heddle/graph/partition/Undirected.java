package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The finest level: a graph made undirected, without loops and repetitions, on the heap. */
final class Undirected {
  private static final int TASK = 4096;

  /** What an array can hold. */
  private static final long MOST_ARCS = Integer.MAX_VALUE - 64;

  private Undirected() {}

  static LevelGraph of(Graph graph, Loads loads, ThreadTeam team) {
    requireFit(graph.arcs());
    try (Memory scratch = graph.memory().child()) {
      Neighbours first = Neighbours.in(graph, scratch);
      ConcurrentLinkedQueue<Neighbours> pool = new ConcurrentLinkedQueue<>();
      int n = graph.vertices();
      int[] offsets = new int[n + 1];
      int tasks = Math.ceilDiv(n, TASK);
      int[][] pieces = new int[tasks][];
      team.run(
          tasks,
          t -> {
            Neighbours neighbours = taken(pool, first);
            int end = Math.min(n, (t + 1) * TASK);
            int[] piece = new int[neighbours.most(t * TASK, end)];
            int size = 0;
            for (int v = t * TASK; v < end; v++) {
              int count = neighbours.find(v);
              neighbours.copyTo(piece, size);
              offsets[v + 1] = count;
              size += count;
            }
            pieces[t] = piece;
            pool.add(neighbours);
          });
      accumulate(offsets);
      int[] ids = new int[offsets[n]];
      team.run(
          tasks,
          t -> {
            int begin = offsets[t * TASK];
            int end = offsets[Math.min(n, (t + 1) * TASK)];
            System.arraycopy(pieces[t], 0, ids, begin, end - begin);
          });
      return new LevelGraph(offsets, ids, null, loads);
    }
  }

  private static Neighbours taken(ConcurrentLinkedQueue<Neighbours> pool, Neighbours first) {
    Neighbours neighbours = pool.poll();
    return neighbours == null ? first.copy() : neighbours;
  }

  private static void accumulate(int[] offsets) {
    long sum = 0;
    for (int v = 1; v < offsets.length; v++) {
      sum += offsets[v];
      requireFit(sum);
      offsets[v] = (int) sum;
    }
  }

  private static void requireFit(long arcs) {
    if (arcs > MOST_ARCS) {
      throw new IllegalArgumentException(
          "the multilevel method takes graphs of up to 2^31 arcs; the streaming one takes all");
    }
  }
}
