package dev.heddle.graph.partition;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Partitions what samples touch of a graph (presampled weights of GSplit, arXiv 2303.13775): arcs
 * weigh how often they were sampled, so that few rows cross between parts, and vertices how many
 * arcs they had to aggregate, so that parts have equally much to do in the mean.
 *
 * <p>Arcs that were never sampled are not there, and the weights of {@code u → v} and {@code v → u}
 * are added. What no sample touched costs nothing in training: it is spread so that all parts hold
 * equally many vertices, near its neighbours where there is room.
 */
public final class SampledPartitioner {
  private static final int UNTOUCHED = -1;

  private final Csr in;
  private final MemorySegment times;
  private final int[] loads;
  private final PartitionSettings settings;

  private SampledPartitioner(Csr in, MemorySegment times, int[] loads, PartitionSettings settings) {
    this.in = in;
    this.times = times;
    this.loads = loads;
    this.settings = settings;
  }

  /**
   * A partition.
   *
   * @param times ints: how often each arc was sampled
   * @param loads by vertex: what it has to do, at least 1
   * @param settings of which constraints do not count
   */
  public static Partition partition(
      Csr in, MemorySegment times, int[] loads, PartitionSettings settings, ThreadTeam team) {
    settings.requireFit(in.rows());
    return new SampledPartitioner(in, times, loads, settings).partition(team);
  }

  private Partition partition(ThreadTeam team) {
    int[] names = touched();
    int count = (int) Arrays.stream(names).filter(name -> name != UNTOUCHED).count();
    int parts = settings.parts();
    int[] part = new int[in.rows()];
    Arrays.fill(part, UNTOUCHED);
    if (count >= parts) {
      Loads ofTouched = loads(names, count);
      int[] found =
          MultilevelPartitioner.partition(
              level(names, count, ofTouched), ofTouched.most(settings), settings, team);
      for (int v = 0; v < part.length; v++) {
        part[v] = names[v] == UNTOUCHED ? UNTOUCHED : found[names[v]];
      }
    }
    spread(part);
    return Partition.of(parts, part);
  }

  private int times(long arc) {
    return times.getAtIndex(JAVA_INT, arc);
  }

  /** Numbers of the vertices that have something to do, or of which arcs were sampled. */
  private int[] touched() {
    int[] names = new int[in.rows()];
    Arrays.fill(names, UNTOUCHED);
    for (int v = 0; v < names.length; v++) {
      if (loads[v] > 1) {
        names[v] = 0;
      }
      for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
        if (times(arc) > 0) {
          names[v] = 0;
          names[in.id(arc)] = 0;
        }
      }
    }
    int next = 0;
    for (int v = 0; v < names.length; v++) {
      names[v] = names[v] == UNTOUCHED ? UNTOUCHED : next++;
    }
    return names;
  }

  private Loads loads(int[] names, int count) {
    int[] values = new int[count];
    for (int v = 0; v < names.length; v++) {
      if (names[v] != UNTOUCHED) {
        values[names[v]] = loads[v];
      }
    }
    return new Loads(1, values);
  }

  /** The sampled arcs both ways, sorted, of each pair of vertices one with the sum of weights. */
  private LevelGraph level(int[] names, int count, Loads ofTouched) {
    long[] starts = new long[count + 1];
    forSampled(
        names,
        (u, v, _) -> {
          starts[u + 1]++;
          starts[v + 1]++;
        });
    for (int v = 0; v < count; v++) {
      starts[v + 1] += starts[v];
    }
    if (starts[count] > Integer.MAX_VALUE - 64) {
      throw new IllegalArgumentException(
          "more than 2^30 arcs were sampled: presample fewer epochs");
    }
    long[] edges = new long[(int) starts[count]];
    long[] next = starts.clone();
    forSampled(
        names,
        (u, v, weight) -> {
          edges[(int) next[u]++] = (long) v << Integer.SIZE | weight;
          edges[(int) next[v]++] = (long) u << Integer.SIZE | weight;
        });
    int[] offsets = new int[count + 1];
    int[] ids = new int[edges.length];
    int[] weights = new int[edges.length];
    int at = 0;
    for (int v = 0; v < count; v++) {
      int from = (int) starts[v];
      int to = (int) starts[v + 1];
      Arrays.sort(edges, from, to);
      for (int e = from; e < to; e++) {
        int id = (int) (edges[e] >>> Integer.SIZE);
        if (at > offsets[v] && ids[at - 1] == id) {
          weights[at - 1] += (int) edges[e];
        } else {
          ids[at] = id;
          weights[at++] = (int) edges[e];
        }
      }
      offsets[v + 1] = at;
    }
    return new LevelGraph(offsets, Arrays.copyOf(ids, at), Arrays.copyOf(weights, at), ofTouched);
  }

  private interface Edge {
    void of(int source, int destination, int weight);
  }

  private void forSampled(int[] names, Edge action) {
    for (int v = 0; v < names.length; v++) {
      for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
        if (times(arc) > 0 && in.id(arc) != v) {
          action.of(names[in.id(arc)], names[v], times(arc));
        }
      }
    }
  }

  /** Gives every other vertex the part that most of its neighbours are in and that has room. */
  private void spread(int[] part) {
    int parts = settings.parts();
    int[] sizes = new int[parts];
    for (int p : part) {
      if (p != UNTOUCHED) {
        sizes[p]++;
      }
    }
    int room = (int) Math.ceil(settings.balance() * part.length / parts);
    int[] near = new int[parts];
    for (int v = 0; v < part.length; v++) {
      if (part[v] != UNTOUCHED) {
        continue;
      }
      Arrays.fill(near, 0);
      for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
        int neighbour = part[in.id(arc)];
        if (neighbour != UNTOUCHED) {
          near[neighbour]++;
        }
      }
      part[v] = best(near, sizes, room);
      sizes[part[v]]++;
    }
  }

  private static int best(int[] near, int[] sizes, int room) {
    int best = UNTOUCHED;
    for (int p = 0; p < sizes.length; p++) {
      boolean better =
          best == UNTOUCHED
              || near[p] > near[best]
              || (near[p] == near[best] && sizes[p] < sizes[best]);
      if (sizes[p] < room && better) {
        best = p;
      }
    }
    if (best == UNTOUCHED) {
      throw new IllegalStateException("no part has room");
    }
    return best;
  }
}
