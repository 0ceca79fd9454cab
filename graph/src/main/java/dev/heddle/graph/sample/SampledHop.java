package dev.heddle.graph.sample;

import dev.heddle.graph.Block;
import dev.heddle.kernel.ArcTwins;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arcs of one hop of a sample, by destination, and as a block where the sources have rows.
 * Their memory is kept for the next sample.
 */
public final class SampledHop {
  private final Memory memory;
  private final Layout layout;
  private final GrowingBuffer inOffsets;
  private final GrowingBuffer inIds;
  private final GrowingBuffer inWeights;
  private final GrowingBuffer outOffsets;
  private final GrowingBuffer outIds;
  private final GrowingBuffer outWeights;
  private final GrowingBuffer places;
  private final GrowingBuffer scales;
  private Memory derived;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);
  private Csr in;
  private Csr out;
  private @Nullable Block block;
  private @Nullable SampledShuffle shuffle;

  /** Whether {@link #in}, {@link #out} and the block must be made anew, over other segments. */
  private boolean moved = true;

  /**
   * What is kept of arcs.
   *
   * @param weights a float each
   * @param block both directions, else only that by destination
   * @param places where arcs by source stand among those by destination
   * @param roots {@code d^-1/2} of each source
   * @param means {@code 1/d} of each
   */
  record Layout(boolean weights, boolean block, boolean places, boolean roots, boolean means) {}

  SampledHop(Memory memory, Layout layout) {
    this.memory = memory;
    this.layout = layout;
    inOffsets = new GrowingBuffer(memory);
    inIds = new GrowingBuffer(memory);
    inWeights = new GrowingBuffer(memory);
    outOffsets = new GrowingBuffer(memory);
    outIds = new GrowingBuffer(memory);
    outWeights = new GrowingBuffer(memory);
    places = new GrowingBuffer(memory);
    scales = new GrowingBuffer(memory);
    derived = memory.child();
    in = Csr.of(0, 0, inOffsets.segment(), inIds.segment());
    out = in;
  }

  /**
   * Memory for the hops of a sample.
   *
   * @param weighted whether arcs have weights, apart from those that need them in any case: arcs
   *     whose sources get no rows
   */
  static List<SampledHop> list(Memory memory, int hops, boolean weighted, BlockNeeds needs) {
    List<SampledHop> list = new ArrayList<>();
    for (int h = 0; h < hops; h++) {
      boolean named = h < hops - 1 || !needs.sumsLastHop();
      var layout =
          new Layout(
              weighted || !named,
              named,
              needs.aggregation() == null,
              needs.symmetric(),
              needs.wholeMeans());
      list.add(new SampledHop(memory, layout));
    }
    return list;
  }

  /** Offsets by destination, to be written. */
  MemorySegment offsets(int destinations) {
    moved |= inOffsets.require((destinations + 1L) * Long.BYTES);
    return inOffsets.segment();
  }

  /** Room for arcs, to be written. */
  DrawnArcs arcs(long count) {
    moved |= inIds.require(count * Integer.BYTES);
    if (layout.weights()) {
      moved |= inWeights.require(count * Float.BYTES);
    }
    if (layout.block()) {
      moved |= outIds.require(count * Integer.BYTES);
      if (layout.weights()) {
        moved |= outWeights.require(count * Float.BYTES);
      }
      if (layout.places()) {
        moved |= places.require(count * Long.BYTES);
      }
    }
    if (moved) {
      drawn = new DrawnArcs(inIds.segment(), layout.weights() ? inWeights.segment() : null);
    }
    return drawn;
  }

  /** The arcs that {@link #arcs} has given room to. */
  DrawnArcs drawn() {
    return drawn;
  }

  /** From now on sources are spread over so many workers. */
  void shuffleAmong(int workers) {
    shuffle = new SampledShuffle(workers, memory);
  }

  /** Room for the {@link NeighbourArcs#scale} of each source, to be written. */
  MemorySegment scales(int sources) {
    moved |= scales.require((long) sources * Float.BYTES);
    return scales.segment();
  }

  boolean hasScales() {
    return layout.roots() || layout.means();
  }

  /** Ends the writing of arcs whose sources are vertices of the graph. */
  void finish(int destinations, int vertices) {
    if (moved) {
      moved = false;
      in = incoming(destinations, vertices);
    }
    in.rewritten(destinations, vertices);
  }

  /** Ends the writing of arcs whose sources are rows, and writes them by source. */
  void finish(int destinations, int sources, ArcTransposer transposer) {
    moved |= outOffsets.require((sources + 1L) * Long.BYTES);
    if (moved) {
      moved = false;
      renew(destinations, sources);
    }
    in.rewritten(destinations, sources);
    transposer.run(in, out, layout.places() ? places.segment() : null);
    block().refresh();
  }

  private Csr incoming(int destinations, int sources) {
    return Csr.of(destinations, sources, inOffsets.segment(), inIds.segment())
        .withWeights(layout.weights() ? inWeights.segment() : null);
  }

  private void renew(int destinations, int sources) {
    in = incoming(destinations, sources);
    out =
        Csr.of(/* rows= */ 0, destinations, outOffsets.segment(), outIds.segment())
            .withWeights(layout.weights() ? outWeights.segment() : null);
    derived.close();
    derived = memory.child();
    int mostSources = count(outOffsets, Long.BYTES) - 1;
    int mostDestinations = Math.min(mostSources, count(inOffsets, Long.BYTES) - 1);
    var capacity = new Block.Capacity(mostDestinations, mostSources, count(inIds, Integer.BYTES));
    Block renewed = Block.changing(derived, in, out, capacity);
    if (layout.places()) {
      renewed.arcTwins(new ArcTwins(in, out, places.segment()));
    }
    if (layout.roots()) {
      renewed.symmetricSource(scales.segment());
    }
    if (layout.means()) {
      renewed.inverseDegree(scales.segment());
    }
    block = renewed;
  }

  private static int count(GrowingBuffer buffer, int bytes) {
    return Math.toIntExact(buffer.segment().byteSize() / bytes);
  }

  /** Arcs by destination; their sources are rows, or vertices where nobody needs rows. */
  public Csr in() {
    return in;
  }

  /** The arcs as a block. */
  public Block block() {
    if (block == null) {
      throw new IllegalStateException("the sources of this hop have no rows");
    }
    return block;
  }

  /** Which rows move between workers before this hop, where its sources are spread over them. */
  public SampledShuffle shuffle() {
    if (shuffle == null) {
      throw new IllegalStateException("all sources of this hop are at hand");
    }
    return shuffle;
  }

  /** Whether sources are spread over workers. */
  public boolean isShuffled() {
    return shuffle != null;
  }
}
