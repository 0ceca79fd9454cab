package dev.heddle.graph.partition;

import dev.heddle.graph.CsrBuilder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What a part asks of other workers before every aggregation: rows of their vertices, and sums over
 * rows of their vertices that one of its own vertices needs. What comes follows the part's own
 * rows, by worker: rows of vertices, then sums.
 *
 * <p>The arcs from one worker's vertices to another's are a bipartite graph. Every arc is served if
 * the row of its source comes, or a sum for its destination: the fewest rows are a smallest {@link
 * VertexCover}.
 */
public final class HaloRequest {
  private static final int SUMMED = -1;

  private final GraphPart part;

  /** Per worker, own rows that get a sum, ascending. */
  private final int[][] summed;

  /** Where a row of the part's halo comes to be; {@link #SUMMED} if it does not come. */
  private final int[] place;

  /** Per worker, the first of what comes from it, and the first sum. */
  private final int[] first;

  private final int[] firstSum;

  private HaloRequest(GraphPart part, int[][] summed, boolean[] comes) {
    this.part = part;
    this.summed = summed;
    int workers = part.parts();
    place = new int[comes.length];
    first = new int[workers + 1];
    firstSum = new int[workers];
    int next = part.vertices();
    for (int w = 0; w < workers; w++) {
      first[w] = next;
      for (int row = part.firstHaloRow(w); row < part.firstHaloRow(w + 1); row++) {
        int at = row - part.vertices();
        place[at] = comes[at] ? next++ : SUMMED;
      }
      firstSum[w] = next;
      next += summed[w].length;
    }
    first[workers] = next;
  }

  /** The row of every vertex of the halo, and no sums. */
  public static HaloRequest everyRow(GraphPart part) {
    boolean[] comes = new boolean[part.sources() - part.vertices()];
    Arrays.fill(comes, true);
    return new HaloRequest(part, new int[part.parts()][0], comes);
  }

  /**
   * As few rows and sums as can be; rather rows, where it makes no difference.
   *
   * @param memory of which some is taken until these are found
   */
  public static HaloRequest fewestRows(GraphPart part, Memory memory) {
    int own = part.vertices();
    int[][] summed = new int[part.parts()][];
    boolean[] comes = new boolean[part.sources() - own];
    try (Memory scratch = memory.child()) {
      Csr crossing = crossing(scratch, part);
      for (int w = 0; w < summed.length; w++) {
        int from = part.firstHaloRow(w) - own;
        VertexCover cover = VertexCover.of(crossing.slice(from, part.firstHaloRow(w + 1) - own));
        for (int row = from; row < part.firstHaloRow(w + 1) - own; row++) {
          comes[row] = cover.hasRow(row - from);
        }
        summed[w] = IntStream.range(part.central(), own).filter(cover::hasColumn).toArray();
      }
    }
    return new HaloRequest(part, summed, comes);
  }

  /** Arcs from other workers' vertices by source: {@code halo × own}. */
  private static Csr crossing(Memory memory, GraphPart part) {
    int own = part.vertices();
    Csr in = part.in();
    CsrBuilder arcs = new CsrBuilder(memory, part.sources() - own, own);
    long begin = own == 0 ? 0 : in.offset(part.central());
    for (long arc = begin; arc < in.arcs(); arc++) {
      if (in.id(arc) >= own) {
        arcs.count(in.id(arc) - own);
      }
    }
    arcs.counted(false);
    for (int row = part.central(); row < own; row++) {
      for (long arc = in.offset(row), end = in.offset(row + 1); arc < end; arc++) {
        if (in.id(arc) >= own) {
          arcs.put(in.id(arc) - own, row, 1);
        }
      }
    }
    return arcs.build();
  }

  /** The first row of what a worker sends; what the next one sends follows. */
  public int firstRow(int worker) {
    return first[worker];
  }

  /** Own rows and all that come. */
  public int end() {
    return first[first.length - 1];
  }

  /** The vertices of a worker whose rows are asked for, by their numbers in the whole graph. */
  public int[] vertices(int worker) {
    return IntStream.range(part.firstHaloRow(worker), part.firstHaloRow(worker + 1))
        .filter(row -> place[row - part.vertices()] != SUMMED)
        .map(part::vertex)
        .toArray();
  }

  /**
   * Sums over rows of one worker's vertices.
   *
   * @param destinations the vertex that each is for, by its number in the whole graph
   * @param degrees how many arcs go into each
   * @param sources where these come from, sum after sum, by numbers in the whole graph
   * @param weights of these arcs, as bits of floats; empty where all weigh 1
   */
  @SuppressWarnings("ArrayRecordComponent") // Lists of up to millions of arcs, read once.
  public record Sums(int[] destinations, int[] degrees, int[] sources, int[] weights) {}

  /** The sums that are asked of a worker. */
  public Sums sums(int worker) {
    Csr in = part.in();
    int[] destinations = IntStream.of(summed[worker]).map(part::vertex).toArray();
    int[] degrees = new int[destinations.length];
    IntStream.Builder sources = IntStream.builder();
    IntStream.Builder weights = IntStream.builder();
    for (int i = 0; i < degrees.length; i++) {
      int row = summed[worker][i];
      for (long arc = in.offset(row), end = in.offset(row + 1); arc < end; arc++) {
        int source = in.id(arc);
        if (source >= part.firstHaloRow(worker)
            && source < part.firstHaloRow(worker + 1)
            && place[source - part.vertices()] == SUMMED) {
          degrees[i]++;
          sources.add(part.vertex(source));
          if (in.weights() != null) {
            weights.add(Float.floatToRawIntBits(in.weight(arc)));
          }
        }
      }
    }
    return new Sums(destinations, degrees, sources.build().toArray(), weights.build().toArray());
  }

  /**
   * In-arcs of the own vertices from their own rows and what comes, where an arc of weight 1 from a
   * sum stands for all that are in it.
   *
   * @param in the same from rows of the part
   * @param sources the columns of the result
   */
  public Csr arcs(Memory memory, Csr in, int sources) {
    if (end() == part.sources() && sources == in.cols()) {
      return in;
    }
    CsrBuilder arcs = new CsrBuilder(memory, in.rows(), sources);
    for (int row = 0; row < in.rows(); row++) {
      int each = row;
      follow(in, row, (_, _) -> arcs.count(each));
    }
    arcs.counted(in.weights() != null);
    for (int row = 0; row < in.rows(); row++) {
      int each = row;
      follow(in, row, (id, weight) -> arcs.put(each, id, weight));
    }
    return arcs.build();
  }

  private interface ArcVisitor {
    void arc(int id, float weight);
  }

  /** The arcs of a row with sums in the place of what is in them, ascending. */
  private void follow(Csr in, int row, ArcVisitor visitor) {
    int own = part.vertices();
    int worker = -1;
    boolean sums = false;
    for (long arc = in.offset(row), end = in.offset(row + 1); arc < end; arc++) {
      int id = in.id(arc);
      if (id < own) {
        visitor.arc(id, in.weight(arc));
        continue;
      }
      while (id >= part.firstHaloRow(worker + 1)) {
        if (sums) {
          visitor.arc(sumFor(worker, row), 1);
          sums = false;
        }
        worker++;
      }
      if (place[id - own] == SUMMED) {
        sums = true;
      } else {
        visitor.arc(place[id - own], in.weight(arc));
      }
    }
    if (sums) {
      visitor.arc(sumFor(worker, row), 1);
    }
  }

  private int sumFor(int worker, int row) {
    return firstSum[worker] + Arrays.binarySearch(summed[worker], row);
  }
}
