package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * One sample: the vertices that get rows, seeds first and then hop by hop, and the arcs of each
 * hop.
 *
 * <p>The rows at any depth are the first of those one hop further, so that each layer works on a
 * prefix of the same rows. Memory is that of the sample before; while {@link Memory#allocations} of
 * the memory that a batch was made in stays, nothing of it lies elsewhere than before.
 */
public final class SampledBatch {
  private final Memory memory;
  private final List<SampledHop> hops;
  private final GrowingBuffer vertices;

  /** The vertices of rows from {@link #joint} on, where these are others than those before. */
  private final GrowingBuffer below;

  private int joint = Integer.MAX_VALUE;
  private final int[] rows;
  private RowIds ids;
  private RowIds belowIds;
  private long epoch;
  private int number;
  private int seeds;
  private boolean sameRows;

  /** A batch with a memory of its own, which is that of its hops too. */
  private SampledBatch(Memory memory, List<SampledHop> hops) {
    this.memory = memory;
    this.hops = List.copyOf(hops);
    vertices = new GrowingBuffer(memory);
    ids = new RowIds(vertices.segment());
    below = new GrowingBuffer(memory);
    belowIds = new RowIds(below.segment());
    rows = new int[hops.size() + 1];
  }

  /**
   * A batch whose hops are all one block.
   *
   * @param weighted whether arcs have weights
   */
  static SampledBatch ofOneBlock(Memory memory, int hops, boolean weighted, BlockNeeds needs) {
    Memory own = memory.child();
    if (hops == 0) {
      return new SampledBatch(own, List.of());
    }
    var layout = new SampledHop.Layout(weighted, true, needs.aggregation() == null, false, false);
    return new SampledBatch(own, Collections.nCopies(hops, new SampledHop(own, layout)));
  }

  /** A batch with a block for each hop; see {@link SampledHop#list}. */
  static SampledBatch ofHops(Memory memory, int hops, boolean weighted, BlockNeeds needs) {
    Memory own = memory.child();
    return new SampledBatch(own, SampledHop.list(own, hops, weighted, needs));
  }

  /**
   * A batch with a block for each hop, whose rows from some depth on are those that one of several
   * workers owns; see {@link SampledShuffle}.
   *
   * @param depth from which on they are; if not 0, rows before are all that this worker's seeds
   *     need
   */
  static SampledBatch ofShuffledHops(
      Memory memory, int hops, boolean weighted, BlockNeeds needs, int workers, int depth) {
    SampledBatch batch = ofHops(memory, hops, weighted, needs);
    batch.joint = depth == 0 ? Integer.MAX_VALUE : depth;
    for (int h = Math.max(0, depth - 1); h < hops; h++) {
      batch.hops.get(h).shuffleAmong(workers);
    }
    return batch;
  }

  /** Begins a batch with its seeds. */
  void begin(SeedOrder order, int batch) {
    begin(order.epoch(), batch, order.count(batch));
    rows[0] = seeds;
    MemorySegment list = room(seeds, 0);
    for (int i = 0; i < seeds; i++) {
      list.setAtIndex(JAVA_INT, i, order.vertex(batch, i));
    }
  }

  /** Begins a batch of so many seeds, which the caller lists. */
  void begin(long ofEpoch, int batch, int count) {
    epoch = ofEpoch;
    number = batch;
    seeds = count;
  }

  /** All depths have the same rows. */
  void sameRows(int count) {
    Arrays.fill(rows, count);
    sameRows = true;
  }

  /** Whether all depths have the same rows, those of one block that all layers follow. */
  public boolean hasSameRows() {
    return sameRows;
  }

  /**
   * The depth from which on rows are those that this worker owns, while rows before are all that
   * its seeds need; above all depths where there is no such change.
   */
  public int joint() {
    return joint;
  }

  /** The list of a depth's vertices with room for more rows; those there are stay. */
  MemorySegment room(int depth, long most, int kept) {
    if (depth < joint) {
      return room(most, kept);
    }
    if (below.require(most * Integer.BYTES, (long) kept * Integer.BYTES)) {
      belowIds = new RowIds(below.segment());
    }
    return below.segment();
  }

  /** The list of vertices with room for more rows; those there are stay. */
  MemorySegment room(long most, int kept) {
    if (vertices.require(most * Integer.BYTES, (long) kept * Integer.BYTES)) {
      ids = new RowIds(vertices.segment());
    }
    return vertices.segment();
  }

  void rows(int depth, int count) {
    rows[depth] = count;
  }

  /** Rows that have outputs to learn from: the first ones. */
  public int seeds() {
    return seeds;
  }

  /** Rows so many hops from the seeds. */
  public int rows(int depth) {
    return rows[depth];
  }

  /** The vertex of each row that seeds need; of all rows, unless there is a {@link #joint}. */
  public RowIds ids() {
    return ids;
  }

  /** The vertex of each row at a depth. */
  public RowIds ids(int depth) {
    return depth < joint ? ids : belowIds;
  }

  public int hops() {
    return hops.size();
  }

  /** A hop, counted from the seeds. */
  public SampledHop hop(int index) {
    return hops.get(index);
  }

  /** Arcs of all hops. */
  public long arcs() {
    long sum = 0;
    for (int h = 0; h < hops.size(); h++) {
      sum += hops.get(h).in().arcs();
    }
    return sum;
  }

  /** Which batch of its epoch this is. */
  public int number() {
    return number;
  }

  public long epoch() {
    return epoch;
  }

  /** Bytes of memory that the sample takes now. */
  public long bytes() {
    return memory.bytes();
  }
}
