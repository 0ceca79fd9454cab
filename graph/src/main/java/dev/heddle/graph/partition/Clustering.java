package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;

/**
 * Clusters of bounded load, to be contracted: size-constrained label propagation (Meyerhenke,
 * Sanders & Schulz, SEA 2014).
 *
 * <p>Every vertex begins as a cluster of its own and goes, in each pass, to the cluster with room
 * for it that its edges tie it to most. Vertices of small degree come first: hubs decide when there
 * are communities to decide between. What is alone in the end because its favourite cluster is full
 * is put together with others of the same favourite (two-hop clustering, LaSalle et al. 2015), and
 * vertices without edges with one another: else stars would not shrink.
 *
 * <p>Large levels are done in batches: all vertices of a batch choose at once, in parallel, by what
 * was true before it; then they move one after another, as far as there still is room. Batches
 * depend on the graph alone, and so does the result.
 */
final class Clustering {
  private static final int PASSES = 2;

  /** Passes end when fewer than one vertex in so many moves. */
  private static final int SETTLED = 50;

  /** Vertices up to which each one sees where those before it went. */
  private static final int SMALL = 20_000;

  private static final int BATCHES = 16;
  private static final int TASK = 1024;

  private final LevelGraph graph;
  private final long[] room;
  private final ThreadTeam team;
  private final RatingsPool pool;
  private final int[] order;

  /** The cluster of each vertex, called after one of its vertices. */
  private final int[] labels;

  /** {@code loads[label * constraints + c]}. */
  private final long[] loads;

  private final int[] sizes;
  private final int[] wishes;

  private Clustering(LevelGraph graph, long[] room, long key, ThreadTeam team) {
    this.graph = graph;
    this.room = room;
    this.team = team;
    int n = graph.vertices;
    pool = new RatingsPool(n);
    order = byDegree(graph, key);
    labels = new int[n];
    loads = new long[n * graph.constraints];
    sizes = new int[n];
    wishes = new int[n];
    for (int v = 0; v < n; v++) {
      labels[v] = v;
      sizes[v] = 1;
    }
    for (int i = 0; i < loads.length; i++) {
      loads[i] = graph.loads[i];
    }
  }

  /**
   * The cluster of each vertex, numbered from 0 in the order of their first vertices.
   *
   * @param room the largest load of a cluster of more than one vertex, by constraint
   */
  static int[] of(LevelGraph graph, long[] room, long key, ThreadTeam team) {
    Clustering clustering = new Clustering(graph, room, key, team);
    int moved = graph.vertices;
    for (int pass = 0; pass < PASSES && moved > graph.vertices / SETTLED; pass++) {
      moved = clustering.pass(Draws.at(key, pass));
    }
    clustering.joinLeftovers();
    return clustering.numbered();
  }

  /** Vertices by rising order of magnitude of their degrees, shuffled where that costs nothing. */
  private static int[] byDegree(LevelGraph graph, long key) {
    int n = graph.vertices;
    int[] begins = new int[33];
    for (int v = 0; v < n; v++) {
      begins[magnitude(graph.degree(v)) + 1]++;
    }
    for (int i = 0; i < 32; i++) {
      begins[i + 1] += begins[i];
    }
    int[] order = new int[n];
    // Small levels lie in the cache in any order; large ones are read as they lie.
    int[] from = n <= SMALL ? Shuffle.of(n, key) : null;
    for (int i = 0; i < n; i++) {
      int v = from == null ? i : from[i];
      order[begins[magnitude(graph.degree(v))]++] = v;
    }
    return order;
  }

  private static int magnitude(int degree) {
    return 31 - Integer.numberOfLeadingZeros(degree | 1);
  }

  private int pass(long key) {
    return graph.vertices <= SMALL ? oneByOne(key) : inBatches(key);
  }

  private int oneByOne(long key) {
    int n = graph.vertices;
    int[] hashes = new int[n];
    for (int label = 0; label < n; label++) {
      hashes[label] = (int) (Draws.mix(key ^ label) >> 32);
    }
    int[] sums = new int[n];
    int moved = 0;
    for (int v : order) {
      moved += move(v, wish(v, sums, hashes)) ? 1 : 0;
    }
    return moved;
  }

  /**
   * Chooses like the other wish, where all sums and hashes lie in the cache: time goes into
   * branches that are wrongly foreseen there, so that choosing is none. A label is judged whenever
   * its sum grows, and by its whole sum in the end.
   *
   * @param sums by label, 0 before and after
   */
  @SuppressWarnings("ShortCircuitBoolean") // A short circuit is a branch.
  private int wish(int v, int[] sums, int[] hashes) {
    int[] ids = graph.ids;
    int begin = graph.offsets[v];
    int end = graph.offsets[v + 1];
    int own = labels[v];
    int best = own;
    long bestScore = -(long) hashes[own];
    for (int arc = begin; arc < end; arc++) {
      int label = labels[ids[arc]];
      int sum = sums[label] + graph.weight(arc);
      sums[label] = sum;
      boolean may = (label == own) | fits(v, label);
      // Sums first, ties by hash.
      long score = may ? ((long) sum << 32) - hashes[label] : Long.MIN_VALUE;
      best = score > bestScore ? label : best;
      bestScore = Math.max(score, bestScore);
    }
    for (int arc = begin; arc < end; arc++) {
      sums[labels[ids[arc]]] = 0;
    }
    return best;
  }

  private int inBatches(long key) {
    int n = graph.vertices;
    int batch = Math.ceilDiv(n, BATCHES);
    int moved = 0;
    for (int first = 0; first < n; first += batch) {
      int begin = first;
      int end = Math.min(n, first + batch);
      team.run(
          Math.ceilDiv(end - begin, TASK),
          task -> wish(begin + task * TASK, Math.min(end, begin + (task + 1) * TASK), key));
      for (int i = begin; i < end; i++) {
        moved += move(order[i], wishes[i]) ? 1 : 0;
      }
    }
    return moved;
  }

  private void wish(int begin, int end, long key) {
    Ratings ratings = pool.take();
    for (int i = begin; i < end; i++) {
      wishes[i] = wish(order[i], ratings, key);
    }
    pool.give(ratings);
  }

  /** The cluster that a vertex would most like to be in, among those with room for it. */
  private int wish(int v, Ratings ratings, long key) {
    int own = labels[v];
    if (sizes[own] > 1 && isInside(v, own)) {
      return own;
    }
    rate(v, ratings);
    int best = own;
    int bestSum = ratings.sumOf(own);
    long bestHash = Draws.mix(key ^ own);
    for (int i = 0, count = ratings.count(); i < count; i++) {
      int sum = ratings.sum(i);
      if (sum < bestSum) {
        continue;
      }
      // Ties by hash, another one in each pass: no label spreads because of its number. How full
      // a cluster is lies far away in memory, so that is looked at last.
      int label = ratings.key(i);
      long hash = Draws.mix(key ^ label);
      boolean better = sum > bestSum || hash < bestHash;
      if (better && label != own && fits(v, label)) {
        best = label;
        bestSum = sum;
        bestHash = hash;
      }
    }
    return best;
  }

  /** Whether all neighbours are in the same cluster, as for many after the first pass. */
  private boolean isInside(int v, int own) {
    for (int arc = graph.offsets[v], end = graph.offsets[v + 1]; arc < end; arc++) {
      if (labels[graph.ids[arc]] != own) {
        return false;
      }
    }
    return true;
  }

  private void rate(int v, Ratings ratings) {
    ratings.begin(graph.degree(v));
    ratings.addAll(graph, v, labels);
  }

  private boolean fits(int v, int label) {
    int constraints = graph.constraints;
    if (constraints == 1) {
      return loads[label] + graph.loads[v] <= room[0];
    }
    for (int c = 0; c < constraints; c++) {
      if (loads[label * constraints + c] + graph.loads[v * constraints + c] > room[c]) {
        return false;
      }
    }
    return true;
  }

  /** Moves a vertex if there still is room, and the cluster was not left by all meanwhile. */
  private boolean move(int v, int label) {
    int own = labels[v];
    if (label == own || sizes[label] == 0 || !fits(v, label)) {
      return false;
    }
    int constraints = graph.constraints;
    for (int c = 0; c < constraints; c++) {
      int load = graph.loads[v * constraints + c];
      loads[own * constraints + c] -= load;
      loads[label * constraints + c] += load;
    }
    labels[v] = label;
    sizes[own]--;
    sizes[label]++;
    return true;
  }

  private void joinLeftovers() {
    int n = graph.vertices;
    // The last cluster begun for each favourite; one slot more for those that have none.
    int[] begun = new int[n + 1];
    Arrays.fill(begun, -1);
    Ratings ratings = pool.take();
    for (int v = 0; v < n; v++) {
      if (sizes[labels[v]] > 1) {
        continue;
      }
      int favourite = favourite(v, ratings);
      int slot = favourite >= 0 ? favourite : n;
      if (begun[slot] < 0 || !move(v, begun[slot])) {
        begun[slot] = labels[v];
      }
    }
    pool.give(ratings);
  }

  private int favourite(int v, Ratings ratings) {
    rate(v, ratings);
    int best = -1;
    int bestSum = 0;
    for (int i = 0, count = ratings.count(); i < count; i++) {
      if (ratings.sum(i) > bestSum) {
        bestSum = ratings.sum(i);
        best = ratings.key(i);
      }
    }
    return best;
  }

  private int[] numbered() {
    int[] numbers = new int[labels.length];
    int[] clusters = new int[labels.length];
    int count = 0;
    for (int v = 0; v < labels.length; v++) {
      // Zero stands for no number yet.
      if (numbers[labels[v]] == 0) {
        numbers[labels[v]] = ++count;
      }
      clusters[v] = numbers[labels[v]] - 1;
    }
    return clusters;
  }
}
