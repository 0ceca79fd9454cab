package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * How much a part of a graph has, and what it needs of others: counted in one pass over its arcs,
 * before anything is cut out. Only where sums are asked for are arcs listed, those of one part, to
 * find out for how many rows.
 *
 * @param vertices of the part
 * @param arcs into them
 * @param loops of these arcs, those from a vertex to itself
 * @param featureValues that are stored of them, where features are sparse
 * @param train vertices that are learnt from
 * @param valid vertices of the part that choose the epoch
 * @param test vertices that are for testing
 * @param halo per worker, vertices of its that arcs into the part come from
 * @param asked per worker, rows that it sends before an aggregation: of the halo, or sums
 * @param sums of {@code asked}, those that are sums, per worker
 * @param sumArcs arcs that are in these sums, per worker
 */
@SuppressWarnings("ArrayRecordComponent") // A number per worker, read.
public record PartCounts(
    int vertices,
    long arcs,
    long loops,
    long featureValues,
    int train,
    int valid,
    int test,
    int[] halo,
    int[] asked,
    int[] sums,
    int[] sumArcs) {
  /** Numbers of {@link #toLongs} that are not per worker. */
  private static final int SCALARS = 7;

  /**
   * The part of a worker.
   *
   * @param summed whether sums are asked for where that makes fewer rows
   * @param scratch for arcs that are listed, and given back
   */
  public static PartCounts of(
      Graph graph, Partition owners, int worker, boolean summed, Memory scratch) {
    int[] own = owners.members(worker);
    Csr in = graph.in();
    int[] halo = new int[owners.parts()];
    boolean[] seen = new boolean[graph.vertices()];
    long arcs = 0;
    long loops = 0;
    for (int vertex : own) {
      arcs += in.degree(vertex);
      for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
        int source = in.id(arc);
        int owner = owners.partOf(source);
        loops += source == vertex ? 1 : 0;
        if (owner != worker && !seen[source]) {
          seen[source] = true;
          halo[owner]++;
        }
      }
    }
    long values = 0;
    if (graph.features() instanceof SparseFeatures sparse) {
      values = Arrays.stream(own).mapToLong(sparse.byRow()::degree).sum();
    }
    int[] asked = halo.clone();
    int[] sums = new int[halo.length];
    int[] sumArcs = new int[halo.length];
    if (summed) {
      try (Memory listed = scratch.child()) {
        // Nothing but the arcs: what is not looked at is not cut out.
        Graph bare = Graph.builder(listed, graph.name(), in).build();
        var request = HaloRequest.fewestRows(GraphPart.of(bare, owners, worker, listed), listed);
        for (int peer = 0; peer < halo.length; peer++) {
          asked[peer] = request.firstRow(peer + 1) - request.firstRow(peer);
          HaloRequest.Sums of = request.sums(peer);
          sums[peer] = of.destinations().length;
          sumArcs[peer] = of.sources().length;
        }
      }
    }
    Split split = graph.split();
    return new PartCounts(
        own.length,
        arcs,
        loops,
        values,
        split == null ? 0 : count(split.train(), owners, worker),
        split == null ? 0 : count(split.valid(), owners, worker),
        split == null ? 0 : count(split.test(), owners, worker),
        halo,
        asked,
        sums,
        sumArcs);
  }

  private static int count(int[] vertices, Partition owners, int worker) {
    return (int) IntStream.of(vertices).filter(v -> owners.partOf(v) == worker).count();
  }

  /** Vertices of other workers that arcs come from. */
  public int haloRows() {
    return IntStream.of(halo).sum();
  }

  /** Rows that come from other workers. */
  public int askedRows() {
    return IntStream.of(asked).sum();
  }

  /** All of it as numbers, for others to be told. */
  public long[] toLongs() {
    long[] all =
        Arrays.copyOf(
            new long[] {vertices, arcs, loops, featureValues, train, valid, test},
            SCALARS + 4 * halo.length);
    int at = SCALARS;
    for (int[] list : new int[][] {halo, asked, sums, sumArcs}) {
      for (int number : list) {
        all[at++] = number;
      }
    }
    return all;
  }

  /** From what {@link #toLongs} says, which begins somewhere. */
  public static PartCounts of(long[] all, int first, int workers) {
    int[][] lists = new int[4][workers];
    for (int i = 0; i < 4 * workers; i++) {
      lists[i / workers][i % workers] = Math.toIntExact(all[first + SCALARS + i]);
    }
    return new PartCounts(
        Math.toIntExact(all[first]),
        all[first + 1],
        all[first + 2],
        all[first + 3],
        Math.toIntExact(all[first + 4]),
        Math.toIntExact(all[first + 5]),
        Math.toIntExact(all[first + 6]),
        lists[0],
        lists[1],
        lists[2],
        lists[3]);
  }
}
