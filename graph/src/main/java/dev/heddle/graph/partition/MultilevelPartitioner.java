package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Workers;
import java.util.Arrays;

/**
 * The multilevel scheme (Karypis & Kumar, SIAM J. Sci. Comput. 1998) with clusters in place of
 * matchings (Meyerhenke, Sanders & Schulz, SEA 2014): the graph is coarsened to a few dozen
 * vertices a part, the coarsest graph is partitioned several times over, and the best partition is
 * carried back level by level, rebalanced and refined on each.
 *
 * <p>Directions, loops, repetitions and weights of arcs do not count. Takes about 8 bytes of heap
 * per arc of the symmetric graph and some 60 per vertex.
 */
public final class MultilevelPartitioner implements Partitioner {
  /** Vertices of the coarsest graph for each part. */
  private static final int SMALLEST_PER_PART = 40;

  private static final int SMALLEST = 200;

  /** How much larger than on average a cluster of the coarsest graph may be. */
  private static final double UNEVEN = 1.5;

  private static final int PASSES = 8;

  /** Arcs from which on a second cycle is thought of: smaller graphs are done in no time. */
  private static final int LARGE = 1_000_000;

  /** Share that refining the finest level gains where clusters were not those of the graph. */
  private static final double MUCH = 0.03;

  /** First partitions to choose from: a multiple of the usual numbers of cores. */
  private static final int TRIES = 2;

  @Override
  public Partition partition(Graph graph, PartitionSettings settings, Workers workers) {
    settings.requireFit(graph.vertices());
    Loads loads = Loads.of(graph, settings.constraints());
    LevelGraph finest = Undirected.of(graph, loads, workers);
    return Partition.of(
        settings.parts(), partition(finest, loads.most(settings), settings, workers));
  }

  /** The part of each vertex of a graph that is undirected already. */
  static int[] partition(
      LevelGraph finest, long[] most, PartitionSettings settings, Workers workers) {
    int parts = settings.parts();
    if (parts == 1) {
      return new int[finest.vertices];
    }
    return new Run(finest, parts, most, workers).partition(settings.seed());
  }

  /** One partition being made. */
  private static final class Run {
    private final LevelGraph finest;
    private final int parts;
    private final long[] most;
    private final long[] room;
    private final Workers workers;
    private final int smallest;

    /** By refining the level that was refined last, as a share of what was cut. */
    private double gained;

    Run(LevelGraph finest, int parts, long[] most, Workers workers) {
      this.finest = finest;
      this.parts = parts;
      this.most = most;
      this.workers = workers;
      room = new long[parts * most.length];
      for (int at = 0; at < room.length; at++) {
        room[at] = most[at % most.length];
      }
      smallest = (int) Math.min(Math.max(SMALLEST, (long) SMALLEST_PER_PART * parts), 1 << 30);
    }

    int[] partition(long seed) {
      long[] cluster = finest.totals();
      for (int c = 0; c < cluster.length; c++) {
        cluster[c] = Math.max(1, (long) (UNEVEN * cluster[c] / smallest));
      }
      int[] part = cycle(new Clustering.Bounds(cluster, null), key(seed, 0));
      if (finest.arcs() >= LARGE && gained > MUCH) {
        // Once more with clusters inside parts: no edge that is cut now is lost from sight, and
        // whole clusters move that were not clusters before (Walshaw 2004).
        part = cycle(new Clustering.Bounds(cluster, part), key(seed, 1));
      }
      return part;
    }

    private static long key(long seed, int cycle) {
      return Draws.key(Draws.Domain.PARTITION, seed, cycle, 0, 0);
    }

    private int[] cycle(Clustering.Bounds bounds, long key) {
      Hierarchy levels = Hierarchy.of(finest, smallest, bounds, key, workers);
      int[] part = levels.within();
      if (part == null) {
        part = first(levels.coarsest(), key);
      } else {
        refine(assignment(levels.coarsest(), part));
      }
      for (int level = levels.depth() - 1; level >= 0; level--) {
        part = levels.project(level, part);
        gained = refine(assignment(levels.graph(level), part));
      }
      return part;
    }

    private int[] first(LevelGraph coarsest, long key) {
      Assignment[] tries = new Assignment[TRIES];
      workers.run(
          TRIES,
          t -> {
            try (Workers alone = Workers.of(1)) {
              long own = Draws.at(key, -1 - t);
              Assignment tried =
                  assignment(coarsest, RecursiveBisection.parts(coarsest, parts, most, own, alone));
              refine(tried);
              tries[t] = tried;
            }
          });
      return Arrays.stream(tries).reduce((a, b) -> b.isBetterThan(a) ? b : a).orElseThrow().part;
    }

    private Assignment assignment(LevelGraph level, int[] part) {
      return new Assignment(level, parts, part, room);
    }

    private static double refine(Assignment assignment) {
      Rebalancing.run(assignment);
      int patience = Math.clamp(assignment.graph.vertices / 200, 100, 2000);
      return new Refinement(assignment).run(PASSES, patience);
    }
  }
}
