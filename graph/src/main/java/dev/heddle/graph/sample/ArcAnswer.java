package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.UniformColumns;
import java.lang.foreign.MemorySegment;

/**
 * Draws the arcs that another worker asked for, and writes them as bytes: how many there are for
 * each pair of a vertex and a batch; the weight of each pair's arcs, if arcs have weights and those
 * of the graph weigh all the same; the arcs' sources; the weight of each arc, if they differ. All
 * but the numbers of arcs begin at a multiple of four.
 */
final class ArcAnswer {
  private final NeighbourArcs arcs;
  private final boolean weighted;
  private final boolean alike;
  private final ThreadTeam team;
  private final RowOffsets rowOffsets;
  private final GrowingBuffer offsets;
  private final GrowingBuffer weights;
  private final GrowingBuffer vertices;
  private final GrowingBuffer keys;
  private final ByteCursor cursor = new ByteCursor();
  private final ArcRequest request = new ArcRequest();
  private final Task drawTask = this::draw;

  private HopDraw draw;
  private long[] keyOfBatch = {};
  private RowIds rows = new RowIds(MemorySegment.NULL);
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  /**
   * Answers from the arcs of a worker.
   *
   * @param weighted whether arcs drawn have weights
   * @param alike whether those of a vertex all weigh the same
   */
  ArcAnswer(NeighbourArcs arcs, boolean weighted, boolean alike, ThreadTeam team, Memory memory) {
    this.arcs = arcs;
    this.weighted = weighted;
    this.alike = alike;
    this.team = team;
    draw = new HopDraw(new AllArcs(arcs.others()), null);
    rowOffsets = new RowOffsets(team, this::count);
    offsets = new GrowingBuffer(memory);
    weights = new GrowingBuffer(memory);
    vertices = new GrowingBuffer(memory);
    keys = new GrowingBuffer(memory);
  }

  /** Where numbers of four bytes begin after others of one byte. */
  static long aligned(long position) {
    return (position + 3) / 4 * 4;
  }

  /** What is asked, to be read. */
  ArcRequest request() {
    return request;
  }

  /**
   * Counts the arcs that are asked for; returns the bytes of the answer.
   *
   * @param by how arcs are drawn
   * @param batchKeys the key of each batch's draws
   * @param from where the answer will begin
   */
  long count(HopDraw by, long[] batchKeys, long from) {
    draw = by;
    keyOfBatch = batchKeys;
    int pairs = request.pairs();
    offsets.require((pairs + 1L) * Long.BYTES);
    long total = rowOffsets.write(pairs, offsets.segment());
    long counts = 0;
    for (int pair = 0; pair < pairs; pair++) {
      counts += ByteCursor.length(offset(pair + 1) - offset(pair));
    }
    long floats = !weighted ? 0 : alike ? pairs : total;
    return aligned(from + counts) - from + Integer.BYTES * total + Float.BYTES * floats;
  }

  private long offset(int pair) {
    return offsets.segment().getAtIndex(JAVA_LONG, pair);
  }

  private long key(int pair) {
    return keyOfBatch[request.batch(pair)];
  }

  private int count(int pair) {
    int loop = arcs.selfLoops() ? 1 : 0;
    return draw.byVertex().count(request.vertex(pair), key(pair)) + loop;
  }

  /** Writes the answer whose arcs were counted. */
  void write(MemorySegment into, long from) {
    int pairs = request.pairs();
    cursor.on(into, from);
    for (int pair = 0; pair < pairs; pair++) {
      cursor.put(offset(pair + 1) - offset(pair));
    }
    long total = offset(pairs);
    long start = aligned(cursor.position());
    long ids = start + (weighted && alike ? (long) Float.BYTES * pairs : 0);
    MemorySegment idBytes = into.asSlice(ids, Integer.BYTES * total);
    if (weighted && alike) {
      weights.require(Float.BYTES * total);
      drawn = new DrawnArcs(idBytes, weights.segment());
    } else {
      long end = ids + Integer.BYTES * total;
      drawn = new DrawnArcs(idBytes, weighted ? into.asSlice(end, Float.BYTES * total) : null);
    }
    if (draw.columns() != null) {
      vertices.require((long) pairs * Integer.BYTES);
      keys.require((long) pairs * Long.BYTES);
      rows = new RowIds(vertices.segment());
    }
    team.run(RowOffsets.blocks(pairs), drawTask);
    if (weighted && alike) {
      for (int pair = 0; pair < pairs; pair++) {
        long last = offset(pair + 1) - 1;
        float weight = last < offset(pair) ? 1 : weights.segment().getAtIndex(JAVA_FLOAT, last);
        into.set(JAVA_FLOAT, start + (long) Float.BYTES * pair, weight);
      }
    }
  }

  private void draw(int block) {
    int from = block * RowOffsets.ROWS;
    int end = RowOffsets.end(block, request.pairs());
    UniformColumns columns = draw.columns();
    if (columns == null) {
      drawByPair(from, end);
    } else {
      for (int pair = from; pair < end; pair++) {
        vertices.segment().setAtIndex(JAVA_INT, pair, request.vertex(pair));
        keys.segment().setAtIndex(JAVA_LONG, pair, key(pair));
      }
      columns.draw(keys.segment(), rows, from, end, offsets.segment(), drawn.ids());
    }
  }

  private void drawByPair(int from, int end) {
    int read = 0;
    for (int pair = from; pair < end; pair++) {
      read |= arcs.read(request.vertex(pair));
    }
    NeighbourArcs.requireRead(read);
    for (int pair = from; pair < end; pair++) {
      int vertex = request.vertex(pair);
      long at = offset(pair);
      if (arcs.selfLoops()) {
        drawn.put(at++, vertex, arcs.loopWeight(vertex));
      }
      draw.byVertex().draw(vertex, key(pair), drawn, at);
    }
  }
}
