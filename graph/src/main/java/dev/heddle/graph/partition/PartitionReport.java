package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a partition costs: what it cuts, how even it is and what parts need of one another.
 *
 * @param edges pairs of different vertices that arcs join, whichever way and how often
 * @param edgesCut those between parts
 * @param arcs arcs of the graph
 * @param arcsCut those between parts
 * @param parts what is in each part
 */
public record PartitionReport(
    long edges, long edgesCut, long arcs, long arcsCut, List<Part> parts) {
  /**
   * One part.
   *
   * @param arcs arcs into its vertices
   * @param train training vertices
   * @param halo vertices of other parts that have arcs into it: rows it must be sent
   */
  public record Part(int vertices, long arcs, int train, int halo) {}

  public PartitionReport {
    parts = List.copyOf(parts);
  }

  public static PartitionReport of(Graph graph, Partition partition) {
    if (partition.vertices() != graph.vertices()) {
      throw new IllegalArgumentException(partition + " does not fit " + graph);
    }
    List<Part> parts = parts(graph, partition);
    long arcsCut = 0;
    Csr in = graph.in();
    for (int v = 0; v < in.rows(); v++) {
      for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
        arcsCut += partition.partOf(in.id(arc)) == partition.partOf(v) ? 0 : 1;
      }
    }
    long edges = 0;
    long edgesCut = 0;
    try (Memory scratch = graph.memory().child()) {
      Neighbours neighbours = Neighbours.in(graph, scratch);
      for (int v = 0; v < in.rows(); v++) {
        int count = neighbours.find(v);
        edges += count;
        for (int i = 0; i < count; i++) {
          edgesCut += partition.partOf(neighbours.id(i)) == partition.partOf(v) ? 0 : 1;
        }
      }
    }
    return new PartitionReport(edges / 2, edgesCut / 2, in.arcs(), arcsCut, parts);
  }

  private static List<Part> parts(Graph graph, Partition partition) {
    boolean[] training = new boolean[graph.vertices()];
    Split split = graph.split();
    if (split != null) {
      for (int v : split.train()) {
        training[v] = true;
      }
    }
    // The last part that needed a vertex: parts are gone through one after another.
    int[] neededBy = new int[graph.vertices()];
    Arrays.fill(neededBy, -1);
    List<Part> parts = new ArrayList<>();
    for (int part = 0; part < partition.parts(); part++) {
      int[] members = partition.members(part);
      long arcs = 0;
      int train = 0;
      int halo = 0;
      Csr in = graph.in();
      for (int v : members) {
        train += training[v] ? 1 : 0;
        arcs += in.degree(v);
        for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
          int source = in.id(arc);
          if (partition.partOf(source) != part && neededBy[source] != part) {
            neededBy[source] = part;
            halo++;
          }
        }
      }
      parts.add(new Part(members.length, arcs, train, halo));
    }
    return parts;
  }

  /** Vertices of the largest part where the mean is 1; 1 where there are none. */
  public double vertexBalance() {
    return balance(parts.stream().mapToLong(Part::vertices).toArray());
  }

  /** The largest part's arcs as a multiple of the mean. */
  public double arcBalance() {
    return balance(parts.stream().mapToLong(Part::arcs).toArray());
  }

  /** The largest part's training vertices as a multiple of the mean. */
  public double trainBalance() {
    return balance(parts.stream().mapToLong(Part::train).toArray());
  }

  /** Rows that all parts together must be sent. */
  public long halo() {
    return parts.stream().mapToLong(Part::halo).sum();
  }

  private static double balance(long[] loads) {
    long sum = Arrays.stream(loads).sum();
    return sum == 0 ? 1 : (double) Arrays.stream(loads).max().orElse(0) * loads.length / sum;
  }
}
