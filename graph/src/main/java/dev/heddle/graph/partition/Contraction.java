package dev.heddle.graph.partition;

import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;

/**
 * The graph of clusters: a vertex per cluster with the loads of all members, an edge where members
 * are adjacent, as heavy as the edges between them together.
 */
final class Contraction {
  /** Clusters of a task: few enough to balance, as large ones hold hubs. */
  private static final int TASKS = 64;

  private final LevelGraph graph;
  private final int[] clusters;
  private final int count;
  private final int[] begins;
  private final int[] members;
  private final RatingsPool pool;

  private Contraction(LevelGraph graph, int[] clusters, int count) {
    this.graph = graph;
    this.clusters = clusters;
    this.count = count;
    begins = new int[count + 1];
    for (int cluster : clusters) {
      begins[cluster + 1]++;
    }
    for (int c = 0; c < count; c++) {
      begins[c + 1] += begins[c];
    }
    int[] next = begins.clone();
    members = new int[clusters.length];
    for (int v = 0; v < clusters.length; v++) {
      members[next[clusters[v]]++] = v;
    }
    pool = new RatingsPool(count);
  }

  /** The contracted graph of {@code count} clusters. */
  static LevelGraph of(LevelGraph graph, int[] clusters, int count, ThreadTeam team) {
    return new Contraction(graph, clusters, count).contract(team);
  }

  private LevelGraph contract(ThreadTeam team) {
    int[] bounds = bounds();
    int tasks = bounds.length - 1;
    int[] offsets = new int[count + 1];
    Piece[] pieces = new Piece[tasks];
    team.run(tasks, t -> pieces[t] = piece(bounds[t], bounds[t + 1], offsets));
    for (int c = 0; c < count; c++) {
      offsets[c + 1] += offsets[c];
    }
    int[] ids = new int[offsets[count]];
    int[] weights = new int[offsets[count]];
    team.run(
        tasks,
        t -> {
          Piece piece = pieces[t];
          System.arraycopy(piece.ids, 0, ids, offsets[bounds[t]], piece.size);
          System.arraycopy(piece.weights, 0, weights, offsets[bounds[t]], piece.size);
        });
    return new LevelGraph(offsets, ids, weights, new Loads(graph.constraints, loads()));
  }

  /** Ranges of clusters with about equally many members, in as many tasks as are worth it. */
  private int[] bounds() {
    int tasks = Math.clamp(graph.arcs() / 16384, 1, TASKS);
    int[] bounds = new int[tasks + 1];
    for (int t = 1; t < tasks; t++) {
      int at = Arrays.binarySearch(begins, (int) ((long) t * clusters.length / tasks));
      bounds[t] = Math.max(bounds[t - 1], at < 0 ? -at - 2 : at);
    }
    bounds[tasks] = count;
    return bounds;
  }

  /** Arcs of a range of clusters; leaves the degree of each one place above its offset. */
  private Piece piece(int first, int end, int[] offsets) {
    Ratings ratings = pool.take();
    Piece piece = new Piece();
    for (int cluster = first; cluster < end; cluster++) {
      rate(cluster, ratings);
      int size = ratings.count();
      piece.reserve(size);
      int own = 0;
      for (int i = 0; i < size; i++) {
        int key = ratings.key(i);
        if (key == cluster) {
          own = 1;
        } else {
          piece.add(key, ratings.sum(i));
        }
      }
      offsets[cluster + 1] = size - own;
    }
    pool.give(ratings);
    return piece;
  }

  private void rate(int cluster, Ratings ratings) {
    int degree = 0;
    for (int i = begins[cluster]; i < begins[cluster + 1]; i++) {
      degree += graph.degree(members[i]);
    }
    ratings.begin(degree);
    for (int i = begins[cluster]; i < begins[cluster + 1]; i++) {
      ratings.addAll(graph, members[i], clusters);
    }
  }

  private int[] loads() {
    int constraints = graph.constraints;
    int[] loads = new int[count * constraints];
    for (int v = 0; v < clusters.length; v++) {
      for (int c = 0; c < constraints; c++) {
        loads[clusters[v] * constraints + c] += graph.loads[v * constraints + c];
      }
    }
    return loads;
  }

  /** Arcs as they come out of a task. */
  private static final class Piece {
    private int[] ids = new int[1024];
    private int[] weights = new int[1024];
    private int size;

    void reserve(int more) {
      if (size + more > ids.length) {
        int length = Math.max(size + more, ids.length + ids.length / 2);
        ids = Arrays.copyOf(ids, length);
        weights = Arrays.copyOf(weights, length);
      }
    }

    void add(int id, int weight) {
      ids[size] = id;
      weights[size++] = weight;
    }
  }
}
