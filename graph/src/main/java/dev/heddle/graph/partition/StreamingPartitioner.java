package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;

/**
 * Takes the vertices as they come and puts each where most of its neighbours are, less a price for
 * how full that part is (Fennel: Tsourakakis et al., WSDM 2014), in several passes (Nishimura &
 * Ugander, KDD 2013).
 *
 * <p>It needs a few bytes a vertex, whatever the arcs: those of a store are read where they lie.
 * With m edges and n vertices, Fennel's price of a part that holds f times the mean is 1.5 (m / n)
 * √f. Later passes lower it: the bounds of parts are kept anyhow.
 */
public final class StreamingPartitioner implements Partitioner {
  private static final int PASSES = 10;
  private static final double CHEAPER = 0.7;
  private static final int UNSEEN = -1;

  /** Bytes that a vertex takes while a graph is partitioned: its part and its loads. */
  public static int bytesPerVertex(int constraints) {
    return Integer.BYTES * (1 + constraints);
  }

  @Override
  public Partition partition(Graph graph, PartitionSettings settings, ThreadTeam team) {
    settings.requireFit(graph.vertices());
    try (Memory scratch = graph.memory().child()) {
      Stream stream =
          new Stream(
              Neighbours.in(graph, scratch), Loads.of(graph, settings.constraints()), settings);
      double price = 0.75 * graph.arcs() / Math.max(graph.vertices(), 1);
      int moved = graph.vertices();
      for (int pass = 0; pass < PASSES && moved > 0; pass++) {
        moved = stream.pass(price);
        price *= CHEAPER;
      }
      return Partition.of(settings.parts(), stream.part);
    }
  }

  /** Where vertices are so far. */
  private static final class Stream {
    private final Neighbours neighbours;
    private final int parts;
    private final Loads loads;
    private final long[] most;
    private final long[] held;
    private final int[] part;
    private final int[] ties;

    Stream(Neighbours neighbours, Loads loads, PartitionSettings settings) {
      this.neighbours = neighbours;
      this.loads = loads;
      parts = settings.parts();
      most = loads.most(settings);
      held = new long[parts * loads.constraints()];
      part = new int[neighbours.vertices()];
      ties = new int[parts];
      Arrays.fill(part, UNSEEN);
    }

    int pass(double price) {
      int moved = 0;
      for (int v = 0; v < part.length; v++) {
        int old = part[v];
        if (old != UNSEEN) {
          add(v, old, -1);
        }
        int to = best(v, price);
        add(v, to, 1);
        part[v] = to;
        moved += to == old ? 0 : 1;
      }
      return moved;
    }

    private int best(int v, double price) {
      int count = neighbours.find(v);
      for (int i = 0; i < count; i++) {
        int there = part[neighbours.id(i)];
        if (there != UNSEEN) {
          ties[there]++;
        }
      }
      int best = UNSEEN;
      double bestScore = Double.NEGATIVE_INFINITY;
      int emptiest = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int p = 0; p < parts; p++) {
        double full = fullness(p, v);
        double score = ties[p] - price * Math.sqrt(full);
        // Where a vertex stays if all is the same.
        boolean better = score > bestScore || (score == bestScore && p == part[v]);
        if (full <= 1 && better) {
          best = p;
          bestScore = score;
        }
        if (full < least) {
          least = full;
          emptiest = p;
        }
        ties[p] = 0;
      }
      return best == UNSEEN ? emptiest : best;
    }

    /** How full a part would be with a vertex more; above 1 it does not fit. */
    private double fullness(int p, int v) {
      double full = 0;
      int constraints = loads.constraints();
      for (int c = 0; c < constraints; c++) {
        double load = (double) held[p * constraints + c] + loads.values()[v * constraints + c];
        full = Math.max(full, load / Math.max(most[c], 1));
      }
      return full;
    }

    private void add(int v, int to, int sign) {
      int constraints = loads.constraints();
      for (int c = 0; c < constraints; c++) {
        held[to * constraints + c] += (long) sign * loads.values()[v * constraints + c];
      }
    }
  }
}
