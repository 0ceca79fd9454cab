package dev.heddle.train.layers;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.Block;
import dev.heddle.graph.Degrees;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SelfLoops;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
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
  static ChunkHops of(Graph graph, HistoryHalo halo, boolean loops, Memory memory) {
    ChunkRows rows = halo.rows();
    Hop[] hops = new Hop[rows.chunks()];
    if (rows.isWhole()) {
      Rows all = new Rows(graph.vertices());
      hops[0] = Hop.within(graph.block(memory, loops), all);
      return new ChunkHops(hops);
    }
    Csr[] arcs = new Csr[hops.length];
    MemorySegment roots = memory.allocateFloats(rows.all());
    for (int c = 0; c < hops.length; c++) {
      GraphPart part = rows.part(c);
      arcs[c] = loops ? SelfLoops.added(memory, part.in()) : part.in();
      Degrees.inverseRoot(arcs[c], roots.asSlice((long) Float.BYTES * rows.first(c)));
    }
    for (int c = 0; c < hops.length; c++) {
      GraphPart part = rows.part(c);
      MemorySegment scales = memory.allocateFloats(part.sources());
      for (int row = 0; row < part.sources(); row++) {
        float root = roots.getAtIndex(JAVA_FLOAT, rows.places(c).at(row));
        scales.setAtIndex(JAVA_FLOAT, row, root);
      }
      Block block = Block.of(memory, arcs[c]);
      block.symmetricSource(scales);
      Rows own = new Rows(part.vertices(), rows.ids(c));
      Rows sources = new Rows(part.sources(), rows.ids(c));
      hops[c] = Hop.across(block, sources, own, halo.of(c));
    }
    return new ChunkHops(hops);
  }

  Hop of(int chunk) {
    return hops[chunk];
  }
}
