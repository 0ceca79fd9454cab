package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;

/**
 * Draws the arcs that another worker asked for, and writes them as bytes: how many there are for
 * each vertex and batch; where arcs weigh what they stand for and the graph's weigh all the same,
 * that once for each vertex and batch; then the arcs' sources, and the weights of those that
 * differ. All but the numbers of arcs begin at a multiple of four.
 */
final class ArcAnswer implements AutoCloseable {
  private final NeighbourArcs arcs;
  private final ThreadTeam team;
  private final RowOffsets rowOffsets;
  private final GrowingBuffer offsets;
  private final GrowingBuffer weights;
  private final ByteCursor cursor = new ByteCursor();
  private final ArcRequest request = new ArcRequest();
  private final Task drawTask = this::draw;

  private ArcDraw draw;
  private long[] keys = {};
  private boolean weighted;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  ArcAnswer(NeighbourArcs arcs, ThreadTeam team, Memory memory) {
    this.arcs = arcs;
    this.team = team;
    draw = new AllArcs(arcs.others());
    rowOffsets = new RowOffsets(team, this::count);
    offsets = new GrowingBuffer(memory);
    weights = new GrowingBuffer(memory);
  }

  /** Where numbers after others of one byte begin. */
  static long aligned(long position) {
    return (position + 3) / 4 * 4;
  }

  /** What is asked, to be read. */
  ArcRequest request() {
    return request;
  }

  /** Counts the arcs that are asked for; returns the bytes of an answer that begins somewhere. */
  long count(ArcDraw by, long[] keyOfBatch, boolean withWeights, long from) {
    draw = by;
    keys = keyOfBatch;
    weighted = withWeights;
    int pairs = request.pairs();
    offsets.require((pairs + 1L) * Long.BYTES);
    long total = rowOffsets.write(pairs, offsets.segment());
    long counts = 0;
    for (int pair = 0; pair < pairs; pair++) {
      counts += ByteCursor.length(offset(pair + 1) - offset(pair));
    }
    long floats = !weighted ? 0 : alike() ? pairs : total;
    return aligned(from + counts) - from + Integer.BYTES * total + Float.BYTES * floats;
  }

  /** Whether the arcs into a vertex all weigh the same. */
  private boolean alike() {
    return arcs.others().weights() == null;
  }

  private long offset(int pair) {
    return offsets.segment().getAtIndex(JAVA_LONG, pair);
  }

  private int count(int pair) {
    int loop = arcs.selfLoops() ? 1 : 0;
    return draw.count(request.vertex(pair), keys[request.batch(pair)]) + loop;
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
    long ids = start + (weighted && alike() ? (long) Float.BYTES * pairs : 0);
    MemorySegment idBytes = into.asSlice(ids, Integer.BYTES * total);
    if (weighted && alike()) {
      weights.require(Float.BYTES * total);
      drawn = new DrawnArcs(idBytes, weights.segment());
    } else {
      long end = ids + Integer.BYTES * total;
      drawn = new DrawnArcs(idBytes, weighted ? into.asSlice(end, Float.BYTES * total) : null);
    }
    team.run(RowOffsets.blocks(pairs), drawTask);
    if (weighted && alike()) {
      for (int pair = 0; pair < pairs; pair++) {
        long last = offset(pair + 1) - 1;
        float weight = last < offset(pair) ? 1 : weights.segment().getAtIndex(JAVA_FLOAT, last);
        into.set(JAVA_FLOAT, start + (long) Float.BYTES * pair, weight);
      }
    }
  }

  private void draw(int block) {
    int end = RowOffsets.end(block, request.pairs());
    for (int pair = block * RowOffsets.ROWS; pair < end; pair++) {
      int vertex = request.vertex(pair);
      long at = offset(pair);
      if (arcs.selfLoops()) {
        drawn.put(at++, vertex, arcs.loopWeight(vertex));
      }
      draw.draw(vertex, keys[request.batch(pair)], drawn, at);
    }
  }

  long bytes() {
    return offsets.bytes() + weights.bytes();
  }

  @Override
  public void close() {
    offsets.close();
    weights.close();
  }
}
