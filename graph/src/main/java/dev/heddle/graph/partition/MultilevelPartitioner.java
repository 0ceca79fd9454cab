package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.Set;

/**
 * The multilevel scheme (Karypis & Kumar, SIAM J. Sci. Comput. 1998) with clusters in place of
 * matchings (Meyerhenke, Sanders & Schulz, SEA 2014): the graph is coarsened to a few dozen
 * vertices a part, the coarsest graph is bisected recursively, and its partition is carried back
 * level by level, rebalanced and refined on each.
 *
 * <p>Directions, loops, repetitions and weights of arcs do not count. Takes about 8 bytes of heap
 * per arc of the symmetric graph and some 60 per vertex.
 */
public final class MultilevelPartitioner implements Partitioner {
  /** Vertices up to which a graph is small: its coarsest graph is a good share of the work. */
  private static final int SMALL = 20_000;

  /** Parts that the number of vertices of the coarsest graph is reckoned by, at least. */
  private static final int FEWEST = 5;

  /** Vertices of the coarsest graph for each part. */
  private static final int SMALLEST_PER_PART = 40;

  private static final int SMALLEST_PER_PART_IF_SMALL = 25;

  /** How much larger than on average a cluster of the coarsest graph may be. */
  private static final double UNEVEN = 1.5;

  /** Arcs up to which waking another thread costs more than it brings. */
  private static final int ALONE = 1 << 16;

  /** In such a graph, a level that is too large by one vertex in so many is the last. */
  private static final int NEAR = 8;

  private static final int PASSES = 8;

  /** First partitions to choose from, at most. */
  private static final int TRIES = 4;

  /** So many times smaller, the coarsest graph is partitioned once more at little cost. */
  private static final int CHEAP = 5;

  @Override
  public Partition partition(Graph graph, PartitionSettings settings, ThreadTeam team) {
    settings.requireFit(graph.vertices());
    return prepare(graph, settings.constraints(), team).partition(settings, team);
  }

  /** Makes a graph undirected, which is needed once however often it is partitioned. */
  public static Prepared prepare(Graph graph, Set<Constraint> constraints, ThreadTeam team) {
    Loads loads = Loads.of(graph, constraints);
    return new Prepared(Undirected.of(graph, loads, team), loads, constraints);
  }

  /** A graph that can be partitioned into other numbers of parts and by other seeds. */
  public static final class Prepared {
    private final LevelGraph finest;
    private final Loads loads;
    private final Set<Constraint> constraints;

    private Prepared(LevelGraph finest, Loads loads, Set<Constraint> constraints) {
      this.finest = finest;
      this.loads = loads;
      this.constraints = constraints;
    }

    /** One partition, as {@link MultilevelPartitioner#partition} would make it. */
    public Partition partition(PartitionSettings settings, ThreadTeam team) {
      settings.requireFit(finest.vertices);
      if (!settings.constraints().equals(constraints)) {
        throw new IllegalArgumentException(
            "prepared to balance " + constraints + ", not " + settings.constraints());
      }
      long[] most = loads.most(settings);
      return Partition.of(
          settings.parts(), MultilevelPartitioner.partition(finest, most, settings, team));
    }
  }

  /** The part of each vertex of a graph whose arcs may have weights. */
  static int[] partition(
      LevelGraph finest, long[] most, PartitionSettings settings, ThreadTeam team) {
    int parts = settings.parts();
    if (parts == 1) {
      return new int[finest.vertices];
    }
    return new Run(finest, parts, most, team).partition(settings.seed());
  }

  /** One partition being made. */
  private static final class Run {
    private final LevelGraph finest;
    private final int parts;
    private final long[] most;
    private final long[] room;
    private final ThreadTeam team;
    private final int smallest;

    Run(LevelGraph finest, int parts, long[] most, ThreadTeam team) {
      this.finest = finest;
      this.parts = parts;
      this.most = most;
      this.team = team;
      room = new long[Math.multiplyExact(parts, most.length)];
      for (int at = 0; at < room.length; at++) {
        room[at] = most[at % most.length];
      }
      boolean small = finest.vertices <= SMALL;
      long perPart = small ? SMALLEST_PER_PART_IF_SMALL : SMALLEST_PER_PART;
      smallest = (int) Math.min(perPart * Math.max(FEWEST, parts), 1 << 30);
    }

    int[] partition(long seed) {
      long[] cluster = finest.totals();
      for (int c = 0; c < cluster.length; c++) {
        cluster[c] = Math.max(1, (long) (UNEVEN * cluster[c] / smallest));
      }
      long key = Draws.key(Draws.Domain.PARTITION, seed, 0, 0, 0);
      Hierarchy levels = coarsened(cluster, key);
      int[] part = first(levels.coarsest(), key);
      for (int level = levels.depth() - 1; level >= 0; level--) {
        part = levels.project(level, part);
        refine(assignment(levels.graph(level), part));
      }
      return part;
    }

    private Hierarchy coarsened(long[] cluster, long key) {
      if (finest.arcs() > ALONE) {
        return Hierarchy.of(finest, near(smallest), cluster, key, team);
      }
      try (ThreadTeam alone = ThreadTeam.of(1)) {
        return Hierarchy.of(finest, near(smallest), cluster, key, alone);
      }
    }

    /** As many vertices, or a few more where a level for their sake is much of the work. */
    private int near(int vertices) {
      return finest.arcs() > ALONE ? vertices : vertices + vertices / NEAR;
    }

    private int[] first(LevelGraph coarsest, long key) {
      int tries = Math.clamp(finest.arcs() / Math.max(1, (long) CHEAP * coarsest.arcs()), 1, TRIES);
      if (tries == 1) {
        return tried(coarsest, Draws.at(key, -1), team).part;
      }
      Assignment[] tried = new Assignment[tries];
      team.run(
          tries,
          i -> {
            try (ThreadTeam alone = ThreadTeam.of(1)) {
              tried[i] = tried(coarsest, Draws.at(key, -1 - i), alone);
            }
          });
      return Assignment.best(tried).part;
    }

    private Assignment tried(LevelGraph coarsest, long key, ThreadTeam team) {
      var bounds = new RecursiveBisection.Bounds(most, near(Bisection.SMALLEST));
      int[] part = RecursiveBisection.parts(coarsest, parts, bounds, key, team);
      Assignment tried = assignment(coarsest, part);
      refine(tried);
      return tried;
    }

    private Assignment assignment(LevelGraph level, int[] part) {
      return new Assignment(level, parts, part, room);
    }

    private static void refine(Assignment assignment) {
      Rebalancing.run(assignment);
      int patience = Math.clamp(assignment.graph.vertices / 200, 50, 2000);
      new Refinement(assignment).run(PASSES, patience);
    }
  }
}
