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
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Rows;
import java.lang.foreign.MemorySegment;

/**
 * The hops of a worker's chunks: from a chunk's own rows and its halo to its own rows, normalised
 * by the degrees that vertices have in the whole graph. A single chunk that has all of the graph
 * has the graph's.
 */
final class ChunkHops {
  private final Block[] blocks;
  private final Rows[] own;
  private final Rows[] sources;
  private final boolean whole;

  private ChunkHops(ChunkRows rows, Block[] blocks) {
    this.blocks = blocks;
    whole = rows.isWhole();
    own = new Rows[blocks.length];
    sources = new Rows[blocks.length];
    for (int c = 0; c < blocks.length; c++) {
      GraphPart part = rows.part(c);
      own[c] = whole ? new Rows(part.vertices()) : new Rows(part.vertices(), rows.ids(c));
      sources[c] = whole ? own[c] : new Rows(part.sources(), rows.ids(c));
    }
  }

  /**
   * The hops of a worker's chunks.
   *
   * @param loops whether every vertex has an arc from itself
   */
  static ChunkHops of(Graph graph, ChunkRows rows, boolean loops, ThreadTeam team, Memory memory) {
    Block[] blocks = new Block[rows.chunks()];
    if (rows.isWhole()) {
      blocks[0] = graph.block(memory, loops);
      return new ChunkHops(rows, blocks);
    }
    Csr[] arcs = new Csr[blocks.length];
    for (int c = 0; c < blocks.length; c++) {
      arcs[c] = loops ? SelfLoops.added(memory, rows.part(c).in()) : rows.part(c).in();
    }
    try (Memory scratch = memory.child()) {
      Matrix roots = roots(rows, arcs, team, scratch);
      for (int c = 0; c < blocks.length; c++) {
        GraphPart part = rows.part(c);
        MemorySegment scales = memory.allocateFloats(part.sources());
        for (int row = 0; row < part.sources(); row++) {
          scales.setAtIndex(JAVA_FLOAT, row, roots.get(rows.places(c).at(row), 0));
        }
        blocks[c] = Block.of(memory, arcs[c]);
        blocks[c].symmetricSource(scales);
      }
    }
    return new ChunkHops(rows, blocks);
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

  /** The hop of a chunk, whose halo brings the rows of other chunks. */
  Hop of(int chunk, Halo halo) {
    return whole
        ? Hop.within(blocks[chunk], own[chunk])
        : Hop.across(blocks[chunk], sources[chunk], own[chunk], halo);
  }
}
