package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;

/**
 * The sparse features of a sample's rows, by row and by column, in memory that is kept from batch
 * to batch.
 */
public final class SparseRows {
  private final Csr whole;
  private final ThreadTeam team;
  private final SampledHop arcs;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final Task copyTask = this::copy;

  private Csr features;
  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private int rows;
  private MemorySegment offsets = MemorySegment.NULL;
  private DrawnArcs target = new DrawnArcs(MemorySegment.NULL, null);
  private SparseFeatures current;

  /**
   * Rows of features.
   *
   * @param of the features of all vertices
   * @param memory of the rows and of what is needed to copy them
   */
  public SparseRows(SparseFeatures of, ThreadTeam team, Memory memory) {
    whole = of.byRow();
    features = whole;
    this.team = team;
    arcs = new SampledHop(memory, new SampledHop.Layout(true, true, false, false, false));
    transposer = new ArcTransposer(team, memory);
    rowOffsets = new RowOffsets(team, this::count);
    current = of;
  }

  /** Takes the features of the first rows of a sample. */
  public void fetch(RowIds ids, int count) {
    fetch(whole, ids, count);
  }

  /** Takes some rows of other features that are as wide. */
  public void fetch(Csr from, RowIds ids, int count) {
    features = from;
    vertices = ids;
    rows = count;
    offsets = arcs.offsets(count);
    long total = rowOffsets.write(count, offsets);
    target = arcs.arcs(total);
    team.run(RowOffsets.blocks(count), copyTask);
    arcs.finish(count, features.cols(), transposer);
    if (current.byRow() != arcs.in()) {
      current = new SparseFeatures(arcs.in(), arcs.block().out());
    }
  }

  private int count(int row) {
    return (int) features.degree(vertices.at(row));
  }

  private void copy(int block) {
    for (int row = block * RowOffsets.ROWS, end = RowOffsets.end(block, rows); row < end; row++) {
      AllArcs.copy(features, vertices.at(row), target, offsets.getAtIndex(JAVA_LONG, row));
    }
  }

  /** The features of the rows fetched last, an object of its own when they lie elsewhere. */
  public SparseFeatures features() {
    return current;
  }
}
