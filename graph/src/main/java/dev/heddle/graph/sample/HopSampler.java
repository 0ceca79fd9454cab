package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.UniformColumns;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Makes a hop of a batch: draws arcs or takes those that other workers have drawn, gives their
 * sources rows, and writes the block. Each step is done by all threads, with a result that does not
 * depend on their number.
 */
final class HopSampler {
  private final OwnArcs own;
  private final NeighbourArcs arcs;
  private final BlockNeeds needs;
  private final ArrivedArcs arrived;
  private final ArcCoefficients coefficients;
  private final ThreadTeam team;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final Task drawTask = this::draw;
  private final Task coefficientTask = this::coefficients;
  private final Task rootTask = this::roots;

  /** The batch whose rows are the ones in {@link #numbers}. */
  private @Nullable SampledBatch numbered;

  // The hop being made.
  private int batch;
  private int rows;
  private ArcDraw draw;
  private @Nullable UniformColumns columns;
  private long key;
  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private MemorySegment offsets = MemorySegment.NULL;
  private MemorySegment rootDegrees = MemorySegment.NULL;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  /**
   * A sampler of single hops.
   *
   * @param own which vertices' arcs are here
   * @param arcs that can be drawn
   * @param arrived arcs into vertices of other workers
   */
  HopSampler(
      OwnArcs own,
      NeighbourArcs arcs,
      BlockNeeds needs,
      ArrivedArcs arrived,
      ThreadTeam team,
      Memory memory) {
    this.own = own;
    this.arcs = arcs;
    this.needs = needs;
    this.arrived = arrived;
    this.team = team;
    draw = new AllArcs(arcs.others());
    coefficients = new ArcCoefficients(arcs, needs);
    numbers = new RowNumbers(team, memory, arcs.vertices());
    transposer = new ArcTransposer(team, memory);
    rowOffsets = new RowOffsets(team, this::count);
  }

  /**
   * Makes a hop; those before it have been made.
   *
   * @param hop counted from the seeds
   * @param by how arcs are drawn
   * @param hopKey of all draws of this hop
   * @param number of the batch among those that are sampled together
   */
  void make(int hop, HopDraw by, long hopKey, int number, SampledBatch into) {
    batch = number;
    draw = by.byVertex();
    // Loops over many vertices read where the arcs of all of them begin, which in a file of the
    // whole graph would bring in pages that only other workers need.
    columns = own.extent() == OwnArcs.Extent.IN_PLACE ? null : by.columns();
    key = hopKey;
    rows = into.rows(hop);
    vertices = into.ids();
    SampledHop made = into.hop(hop);
    offsets = made.offsets(rows);
    long count = rowOffsets.write(rows, offsets);
    drawn = made.arcs(count);
    team.run(blocks(), drawTask);
    if (hop == into.hops() - 1 && needs.sumsLastHop()) {
      team.run(blocks(), coefficientTask);
      made.finish(rows, arcs.vertices());
    } else {
      int destinations = rows;
      numberSources(hop, into, count);
      if (made.hasRoots()) {
        rootDegrees = made.roots(rows);
        team.run(blocks(), rootTask);
      }
      made.finish(destinations, rows, transposer);
    }
    into.rows(hop + 1, rows);
  }

  private void numberSources(int hop, SampledBatch into, long count) {
    if (hop == 0 || numbered != into) {
      numbers.begin(into.ids().values(), rows);
      numbered = into;
    }
    long most = Math.min(rows + count, arcs.vertices());
    numbers.expect(into.room(most, rows), count);
    rows = numbers.number(drawn.ids(), count);
    vertices = into.ids();
  }

  private int blocks() {
    return RowOffsets.blocks(rows);
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

  private void roots(int block) {
    int end = RowOffsets.end(block, rows);
    for (int row = block * RowOffsets.ROWS; row < end; row++) {
      rootDegrees.setAtIndex(JAVA_FLOAT, row, arcs.rootDegree(vertices.at(row)));
    }
  }

  /** Bytes of tables of all vertices. */
  long tableBytes() {
    return numbers.bytes();
  }
}
