package dev.heddle.train.halo;

import dev.heddle.comm.Group;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.CsrBuilder;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.HaloRequest;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which rows a layer's sources are at one worker, and which of them go where: own rows, then what
 * comes from others, then sums over own rows that are made for others. All workers make theirs
 * together: each tells the others once what it asks of them.
 */
public final class HaloLayout {
  private final GraphPart part;
  private final HaloRequest request;
  private final RowExchange.Routes routes;
  private final Csr sums;
  private final RowIds ids;

  /**
   * The layout of a worker.
   *
   * @param summed whether sums are asked for where that makes fewer rows
   */
  HaloLayout(Group group, GraphPart part, Memory memory, boolean summed) {
    this.part = part;
    request = summed ? HaloRequest.fewestRows(part, memory) : HaloRequest.everyRow(part);
    Asked asked = Asked.by(group, request, memory);
    int k = group.size();
    int sources = request.end();
    for (int[] destinations : asked.destinations) {
      sources += destinations.length;
    }
    int[][] sent = new int[k][];
    int[][] received = new int[k][];
    int[] names = new int[sources];
    Arrays.setAll(names, row -> row < part.vertices() ? part.vertex(row) : 0);
    int sum = request.end();
    for (int peer = 0; peer < k; peer++) {
      int[] destinations = asked.destinations[peer];
      int first = sum;
      sent[peer] =
          IntStream.concat(
                  IntStream.of(asked.vertices[peer]).map(part::rowOf),
                  IntStream.range(first, first + destinations.length))
              .toArray();
      for (int i = 0; i < destinations.length; i++) {
        names[sum++] = name(destinations[i], group.rank());
      }
      received[peer] =
          IntStream.range(request.firstRow(peer), request.firstRow(peer + 1)).toArray();
      name(names, peer);
    }
    routes = new RowExchange.Routes(sent, received);
    ids = RowIds.of(memory, names);
    sums = asked.sums(memory, part, request.end(), sources);
  }

  /** Gives what comes from a worker the names that it has there. */
  private void name(int[] names, int worker) {
    int at = request.firstRow(worker);
    for (int vertex : request.vertices(worker)) {
      names[at++] = vertex;
    }
    for (int destination : request.sums(worker).destinations()) {
      names[at++] = name(destination, worker);
    }
  }

  /** Draws for sums to one vertex differ from worker to worker, and from those for vertices. */
  private static int name(int destination, int summedBy) {
    return (int) Draws.at(summedBy, destination) | Integer.MIN_VALUE;
  }

  /** What all others ask of this worker; vertices by their numbers in the whole graph. */
  @SuppressWarnings("ArrayRecordComponent") // Lists of up to millions of arcs, read once.
  private record Asked(
      int[][] vertices, int[][] destinations, int[][] degrees, int[][] sources, int[][] weights) {
    static Asked by(Group group, HaloRequest request, Memory memory) {
      int k = group.size();
      int[][] vertices = new int[k][];
      HaloRequest.Sums[] sums = new HaloRequest.Sums[k];
      // Entry (a, b, ·) says how many rows, sums, arcs of these and weights a asks b for.
      long[] counts = new long[4 * k * k];
      for (int peer = 0; peer < k; peer++) {
        vertices[peer] = request.vertices(peer);
        sums[peer] = request.sums(peer);
        int at = 4 * (group.rank() * k + peer);
        counts[at] = vertices[peer].length;
        counts[at + 1] = sums[peer].destinations().length;
        counts[at + 2] = sums[peer].sources().length;
        counts[at + 3] = sums[peer].weights().length;
      }
      group.sum(counts);
      int[][] lengths = new int[4][k];
      for (int i = 0; i < 4 * k; i++) {
        lengths[i % 4][i / 4] = Math.toIntExact(counts[4 * (i / 4 * k + group.rank()) + i % 4]);
      }
      return new Asked(
          PeerLists.exchange(group, memory, vertices, lengths[0]),
          PeerLists.exchange(group, memory, each(sums, HaloRequest.Sums::destinations), lengths[1]),
          PeerLists.exchange(group, memory, each(sums, HaloRequest.Sums::degrees), lengths[1]),
          PeerLists.exchange(group, memory, each(sums, HaloRequest.Sums::sources), lengths[2]),
          PeerLists.exchange(group, memory, each(sums, HaloRequest.Sums::weights), lengths[3]));
    }

    private static int[][] each(HaloRequest.Sums[] sums, Function<HaloRequest.Sums, int[]> list) {
      return Arrays.stream(sums).map(list).toArray(int[][]::new);
    }

    /** The arcs of all sums, whose rows begin at {@code first}: square, other rows have none. */
    Csr sums(Memory memory, GraphPart part, int first, int rows) {
      CsrBuilder arcs = new CsrBuilder(memory, rows, rows);
      int row = first;
      for (int[] list : degrees) {
        for (int degree : list) {
          arcs.count(row++, degree);
        }
      }
      arcs.counted(part.in().weights() != null);
      row = first;
      for (int peer = 0; peer < degrees.length; peer++) {
        int at = 0;
        for (int degree : degrees[peer]) {
          for (int end = at + degree; at < end; at++) {
            boolean weighted = weights[peer].length > 0;
            float weight = weighted ? Float.intBitsToFloat(weights[peer][at]) : 1;
            arcs.put(row, part.rowOf(sources[peer][at]), weight);
          }
          row++;
        }
      }
      return arcs.build();
    }
  }

  /** Which rows of sources go to whom, and where what comes belongs. */
  RowExchange.Routes routes() {
    return routes;
  }

  /** What draws for rows of sources are keyed by. */
  public RowIds ids() {
    return ids;
  }

  /** Rows of all sources. */
  public int sources() {
    return sums.rows();
  }

  public int own() {
    return part.vertices();
  }

  /** Rows that need nothing from others: the first. */
  public int central() {
    return part.central();
  }

  /** The first of the sums for others; they are the last rows. */
  int firstSum() {
    return request.end();
  }

  /** Whether others ask for any. */
  public boolean makesSums() {
    return firstSum() < sources();
  }

  /** Arcs from own rows into sums for others: {@code sources × sources}, other rows have none. */
  Csr sums() {
    return sums;
  }

  /** In-arcs of own rows from the rows of this layout, for those from rows of the part. */
  public Csr arcs(Memory memory, Csr in) {
    return request.arcs(memory, in, sources());
  }

  /** Rows that this worker sends in one exchange. */
  public long sentRows() {
    return Arrays.stream(routes.sent()).mapToLong(list -> list.length).sum();
  }

  /** Rows that it sends to one other or gets from one, at most. */
  int mostRows() {
    return Stream.of(routes.sent(), routes.received())
        .flatMap(Arrays::stream)
        .mapToInt(list -> list.length)
        .max()
        .orElse(0);
  }

  /** Rows that it gets. */
  public long receivedRows() {
    return request.end() - (long) own();
  }
}
