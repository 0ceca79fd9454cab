package dev.heddle.train.layers;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.partition.Shuffle;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.EnumSet;
import java.util.Set;

/**
 * Chunks of vertices, as many for each way, and the order in which they pass. The vertices of a
 * chunk come from a few places in the graph: the graph is cut into four times as many parts as
 * there are chunks, and these are dealt out in a drawn order, each to the chunk that has least so
 * far. So most arcs stay inside a chunk, and chunks of dense and of sparse regions cost alike.
 */
final class Chunks {
  private static final int PIECES = 4;

  /** What the draws of pieces and of orders are numbered by. */
  private static final int PIECE_DRAWS = 0;

  private static final int ORDER_DRAWS = 1;

  private final Partition partition;
  private final int perWay;
  private final long seed;
  private final int[] order;

  private Chunks(Partition partition, int perWay, long seed) {
    this.partition = partition;
    this.perWay = perWay;
    this.seed = seed;
    order = new int[perWay];
  }

  /**
   * Cuts the vertices of each way; the same for any number of threads.
   *
   * @param ways way w has the vertices of part w
   */
  static Chunks of(Graph graph, Partition ways, int perWay, long seed, ThreadTeam team) {
    int chunks = Math.multiplyExact(ways.parts(), perWay);
    if (chunks > graph.vertices()) {
      throw new IllegalArgumentException(
          chunks + " chunks are more than " + graph.name() + " has vertices: use fewer --chunks");
    }
    int[] chunkOf = new int[graph.vertices()];
    if (perWay == 1) {
      for (int v = 0; v < chunkOf.length; v++) {
        chunkOf[v] = ways.partOf(v);
      }
    } else {
      deal(graph, ways, perWay, seed, pieces(graph, chunks, seed, team), chunkOf);
    }
    return new Chunks(Partition.of(chunks, chunkOf), perWay, seed);
  }

  /**
   * Chunks as somebody else has cut them, to compare with.
   *
   * @param partition part {@code way · perWay + chunk} is a chunk of a way
   */
  static Chunks given(Partition partition, int perWay, long seed) {
    return new Chunks(partition, perWay, seed);
  }

  private static Partition pieces(Graph graph, int chunks, long seed, ThreadTeam team) {
    int pieces = (int) Math.min((long) PIECES * chunks, graph.vertices());
    Set<Constraint> work = EnumSet.of(Constraint.WORK);
    return new MultilevelPartitioner()
        .partition(graph, PartitionSettings.of(pieces).withSeed(seed).withConstraints(work), team);
  }

  /** Deals out what each way has of each piece. */
  private static void deal(
      Graph graph, Partition ways, int perWay, long seed, Partition pieces, int[] chunkOf) {
    int parts = pieces.parts();
    long[] work = new long[ways.parts() * parts];
    for (int v = 0; v < chunkOf.length; v++) {
      work[ways.partOf(v) * parts + pieces.partOf(v)] += Constraint.work(graph, v);
    }
    int[] order = new int[parts];
    Shuffle.write(order, Draws.key(Draws.Domain.CHUNKS, seed, 0, 0, PIECE_DRAWS));
    int[] given = new int[work.length];
    for (int way = 0; way < ways.parts(); way++) {
      long[] loads = new long[perWay];
      for (int piece : order) {
        int lightest = 0;
        for (int c = 1; c < perWay; c++) {
          lightest = loads[c] < loads[lightest] ? c : lightest;
        }
        loads[lightest] += work[way * parts + piece];
        given[way * parts + piece] = way * perWay + lightest;
      }
    }
    for (int v = 0; v < chunkOf.length; v++) {
      chunkOf[v] = given[ways.partOf(v) * parts + pieces.partOf(v)];
    }
  }

  /** Part {@code way · perWay + chunk} is a chunk of a way. */
  Partition partition() {
    return partition;
  }

  int perWay() {
    return perWay;
  }

  /**
   * The order in which chunks go forward in an epoch; backward it is the reverse. All workers draw
   * it by the same key. It is overwritten by the next.
   */
  int[] order(int epoch) {
    Shuffle.write(order, Draws.key(Draws.Domain.CHUNKS, seed, epoch, 0, ORDER_DRAWS));
    return order;
  }
}
