package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Vertices ordered by communities of communities.
 *
 * <p>Vertices are clustered, clusters contracted to vertices and clustered again, until nothing
 * shrinks any more. The levels are then unfolded from the top: what is in one cluster stays
 * together, at every level. So neighbours share small caches where communities are small and large
 * ones where they are large.
 */
final class CommunityOrder {
  /** Vertices of a cluster at the lowest level: their rows fill about a second-level cache. */
  private static final long SMALLEST = 1024;

  /** How much larger the clusters of the next level may be. */
  private static final long GROWTH = 16;

  private CommunityOrder() {}

  /** Which vertex comes at which place. */
  static int[] of(Csr in, long seed, Memory memory) {
    Deque<int[]> levels = new ArrayDeque<>();
    int[] weights = new int[in.rows()];
    Arrays.fill(weights, 1);
    try (Memory scratch = memory.child()) {
      Csr level = in;
      for (long capacity = SMALLEST; ; capacity *= GROWTH) {
        int[] clusters =
            LabelPropagation.clusters(
                level,
                weights,
                capacity,
                Draws.key(Draws.Domain.SHUFFLE, seed, 0, 0, levels.size()));
        int count = Arrays.stream(clusters).max().orElse(-1) + 1;
        levels.push(clusters);
        if (count == level.rows() || capacity >= in.rows()) {
          return order(levels, count);
        }
        weights = sums(weights, clusters, count);
        level = contract(scratch, level, clusters, count);
      }
    }
  }

  private static int[] sums(int[] weights, int[] clusters, int count) {
    int[] sums = new int[count];
    for (int v = 0; v < clusters.length; v++) {
      sums[clusters[v]] += weights[v];
    }
    return sums;
  }

  /** Arcs between clusters, weighing as much as the arcs between their vertices together. */
  private static Csr contract(Memory memory, Csr in, int[] clusters, int count) {
    int[] begins = begins(clusters, count);
    int[] members = sorted(clusters, begins);
    MemorySegment offsets = memory.allocateLongs(count + 1L);
    // Too long by the arcs that fall together.
    long most = arcsBetween(in, clusters);
    MemorySegment ids = memory.allocateInts(most);
    MemorySegment weights = memory.allocateFloats(most);
    long[] last = new long[count];
    Arrays.fill(last, -1);
    long arcs = 0;
    for (int cluster = 0; cluster < count; cluster++) {
      long first = arcs;
      for (int i = begins[cluster]; i < begins[cluster + 1]; i++) {
        long end = in.offset(members[i] + 1);
        for (long arc = in.offset(members[i]); arc < end; arc++) {
          int source = clusters[in.id(arc)];
          if (source == cluster) {
            continue;
          }
          if (last[source] < first) {
            last[source] = arcs;
            ids.setAtIndex(JAVA_INT, arcs++, source);
          }
          float sum = weights.getAtIndex(JAVA_FLOAT, last[source]) + in.weight(arc);
          weights.setAtIndex(JAVA_FLOAT, last[source], sum);
        }
      }
      offsets.setAtIndex(JAVA_LONG, cluster + 1L, arcs);
    }
    return Csr.of(count, count, offsets, ids).withWeights(weights);
  }

  private static long arcsBetween(Csr in, int[] clusters) {
    long count = 0;
    for (int v = 0; v < in.rows(); v++) {
      long end = in.offset(v + 1);
      for (long arc = in.offset(v); arc < end; arc++) {
        count += clusters[in.id(arc)] == clusters[v] ? 0 : 1;
      }
    }
    return count;
  }

  /** Unfolds the levels, the highest first: members of a cluster take its place together. */
  private static int[] order(Iterable<int[]> levels, int count) {
    int[] order = new int[count];
    Arrays.setAll(order, c -> c);
    for (int[] clusters : levels) {
      int[] begins = begins(clusters, order.length);
      int[] members = sorted(clusters, begins);
      int[] unfolded = new int[clusters.length];
      int end = 0;
      for (int cluster : order) {
        int size = begins[cluster + 1] - begins[cluster];
        System.arraycopy(members, begins[cluster], unfolded, end, size);
        end += size;
      }
      order = unfolded;
    }
    return order;
  }

  /** Where the members of each cluster begin when they are sorted by cluster. */
  private static int[] begins(int[] clusters, int count) {
    int[] begins = new int[count + 1];
    for (int cluster : clusters) {
      begins[cluster + 1]++;
    }
    for (int c = 0; c < count; c++) {
      begins[c + 1] += begins[c];
    }
    return begins;
  }

  private static int[] sorted(int[] clusters, int[] begins) {
    int[] next = begins.clone();
    int[] members = new int[clusters.length];
    for (int v = 0; v < clusters.length; v++) {
      members[next[clusters[v]]++] = v;
    }
    return members;
  }
}
