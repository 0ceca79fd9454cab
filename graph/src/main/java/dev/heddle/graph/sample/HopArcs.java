package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.UniformColumns;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Writes the arcs of a hop, whose sources are vertices of the graph: draws those into vertices that
 * a worker has the arcs of, and copies what other workers have drawn for it.
 */
final class HopArcs {
  private final OwnArcs own;
  private final NeighbourArcs arcs;
  private final ArrivedArcs arrived;
  private final ThreadTeam team;
  private final ArcCoefficients coefficients;
  private final RowOffsets rowOffsets;
  private final Task drawTask = this::draw;
  private final Task coefficientTask = this::coefficients;
  private final Task scaleTask = this::scales;

  // The hop being made.
  private int batch;
  private int rows;
  private ArcDraw draw;
  private @Nullable UniformColumns columns;
  private long key;
  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private MemorySegment offsets = MemorySegment.NULL;
  private MemorySegment scales = MemorySegment.NULL;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  /**
   * Arcs of single hops.
   *
   * @param own which vertices' arcs are here
   * @param arcs that can be drawn
   * @param arrived arcs into vertices of other workers
   */
  HopArcs(OwnArcs own, NeighbourArcs arcs, BlockNeeds needs, ArrivedArcs arrived, ThreadTeam team) {
    this.own = own;
    this.arcs = arcs;
    this.arrived = arrived;
    this.team = team;
    draw = new AllArcs(arcs.others());
    coefficients = new ArcCoefficients(arcs, needs);
    rowOffsets = new RowOffsets(team, this::count);
  }

  /**
   * Writes the arcs into the rows that a batch has so many hops from the seeds.
   *
   * @param by how arcs are drawn
   * @param hopKey of all draws of this hop
   * @param number of the batch among those that are sampled together
   * @return how many arcs there are
   */
  long write(int hop, HopDraw by, long hopKey, int number, SampledBatch into) {
    batch = number;
    draw = by.byVertex();
    // Loops over many vertices read where the arcs of all of them begin, which in a file of the
    // whole graph would bring in pages that only other workers need.
    columns = own.extent() == OwnArcs.Extent.IN_PLACE ? null : by.columns();
    key = hopKey;
    rows = into.rows(hop);
    vertices = into.ids(hop);
    SampledHop made = into.hop(hop);
    offsets = made.offsets(rows);
    long count = rowOffsets.write(rows, offsets);
    drawn = made.arcs(count);
    team.run(RowOffsets.blocks(rows), drawTask);
    return count;
  }

  /** Where the arcs written last lie. */
  DrawnArcs drawn() {
    return drawn;
  }

  /** Puts all coefficients of a sum into the weights of the arcs written last. */
  void weigh() {
    team.run(RowOffsets.blocks(rows), coefficientTask);
  }

  /**
   * Writes the {@link NeighbourArcs#scale} of some vertices.
   *
   * @param of so many vertices
   */
  void writeScales(RowIds of, int count, MemorySegment into) {
    vertices = of;
    rows = count;
    scales = into;
    team.run(RowOffsets.blocks(count), scaleTask);
  }

  private int count(int row) {
    int vertex = vertices.at(row);
    return own.has(vertex)
        ? draw.count(vertex, key) + (arcs.selfLoops() ? 1 : 0)
        : arrived.count(batch, row);
  }

  private void draw(int block) {
    int from = block * RowOffsets.ROWS;
    int end = RowOffsets.end(block, rows);
    if (columns != null) {
      // Others' vertices have no arcs here. Where a mean has weights, they are one over the count,
      // which is written later.
      columns.draw(key, vertices, from, end, offsets, drawn.ids());
    } else {
      drawByVertex(from, end);
    }
    if (!own.everything()) {
      copyArrived(from, end);
    }
  }

  private void drawByVertex(int from, int end) {
    int read = 0;
    for (int row = from; row < end; row++) {
      int vertex = vertices.at(row);
      read |= own.has(vertex) ? arcs.read(vertex) : 0;
    }
    NeighbourArcs.requireRead(read);
    for (int row = from; row < end; row++) {
      int vertex = vertices.at(row);
      if (own.has(vertex)) {
        long at = offsets.getAtIndex(JAVA_LONG, row);
        if (arcs.selfLoops()) {
          drawn.put(at++, vertex, arcs.loopWeight(vertex));
        }
        draw.draw(vertex, key, drawn, at);
      }
    }
  }

  private void copyArrived(int from, int end) {
    for (int row = from; row < end; row++) {
      int owner = own.owners().partOf(vertices.at(row));
      if (owner != own.worker()) {
        arrived.copy(owner, batch, row, drawn, offsets.getAtIndex(JAVA_LONG, row));
      }
    }
  }

  private void coefficients(int block) {
    int end = RowOffsets.end(block, rows);
    for (int row = block * RowOffsets.ROWS; row < end; row++) {
      long first = offsets.getAtIndex(JAVA_LONG, row);
      long last = offsets.getAtIndex(JAVA_LONG, row + 1L);
      coefficients.write(vertices.at(row), drawn, first, last);
    }
  }

  private void scales(int block) {
    int end = RowOffsets.end(block, rows);
    for (int row = block * RowOffsets.ROWS; row < end; row++) {
      scales.setAtIndex(JAVA_FLOAT, row, arcs.scale(vertices.at(row)));
    }
  }
}
