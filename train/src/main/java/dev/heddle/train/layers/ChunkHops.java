package dev.heddle.train.layers;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.Block;
import dev.heddle.graph.Degrees;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SelfLoops;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Rows;
import java.lang.foreign.MemorySegment;

/**
 * The hop of each chunk: from its own rows and its halo to its own rows, normalised by the degrees
 * that vertices have in the whole graph. A single chunk that has all of the graph has the graph's.
 */
final class ChunkHops {
  private final Hop[] hops;

  private ChunkHops(Hop[] hops) {
    this.hops = hops;
  }

  /**
   * The hops of a worker's chunks.
   *
   * @param loops whether every vertex has an arc from itself
   */
  static ChunkHops of(
      Graph graph, HistoryHalo halo, boolean loops, ThreadTeam team, Memory memory) {
    ChunkRows rows = halo.rows();
    Hop[] hops = new Hop[rows.chunks()];
    if (rows.isWhole()) {
      Rows all = new Rows(graph.vertices());
      hops[0] = Hop.within(graph.block(memory, loops), all);
      return new ChunkHops(hops);
    }
    Csr[] arcs = new Csr[hops.length];
    for (int c = 0; c < hops.length; c++) {
      arcs[c] = loops ? SelfLoops.added(memory, rows.part(c).in()) : rows.part(c).in();
    }
    try (Memory scratch = memory.child()) {
      Matrix roots = roots(rows, arcs, team, scratch);
      for (int c = 0; c < hops.length; c++) {
        GraphPart part = rows.part(c);
        MemorySegment scales = memory.allocateFloats(part.sources());
        for (int row = 0; row < part.sources(); row++) {
          scales.setAtIndex(JAVA_FLOAT, row, roots.get(rows.places(c).at(row), 0));
        }
        Block block = Block.of(memory, arcs[c]);
        block.symmetricSource(scales);
        Rows own = new Rows(part.vertices(), rows.ids(c));
        Rows sources = new Rows(part.sources(), rows.ids(c));
        hops[c] = Hop.across(block, sources, own, halo.of(c));
      }
    }
    return new ChunkHops(hops);
  }

  /**
   * {@code d^-1/2} of every row; each way knows the degrees of its vertices, and tells them once.
   */
  private static Matrix roots(ChunkRows rows, Csr[] arcs, ThreadTeam team, Memory scratch) {
    Matrix roots = Matrix.allocate(scratch, rows.all(), 1);
    for (int c = 0; c < arcs.length; c++) {
      MemorySegment values = scratch.allocateFloats(arcs[c].rows());
      Degrees.inverseRoot(arcs[c], values);
      for (int row = 0; row < arcs[c].rows(); row++) {
        roots.set(rows.first(c) + row, 0, values.getAtIndex(JAVA_FLOAT, row));
      }
    }
    Mirrors mirrors = rows.mirrors();
    if (mirrors != null) {
      mirrors.fetchOnce(team, roots);
    }
    return roots;
  }

  Hop of(int chunk) {
    return hops[chunk];
  }
}
