package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import org.jspecify.annotations.Nullable;

/**
 * Makes a hop of a batch: writes its arcs, gives their sources rows, and writes the block. Each
 * step is done by all threads, with a result that does not depend on their number.
 */
final class HopSampler {
  private final HopArcs hopArcs;
  private final int vertexCount;
  private final BlockNeeds needs;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;

  /** The batch whose rows are the ones in {@link #numbers}. */
  private @Nullable SampledBatch numbered;

  /** A sampler of single hops in a graph of so many vertices. */
  HopSampler(HopArcs hopArcs, int vertexCount, BlockNeeds needs, ThreadTeam team, Memory memory) {
    this.hopArcs = hopArcs;
    this.vertexCount = vertexCount;
    this.needs = needs;
    numbers = new RowNumbers(team, memory, vertexCount);
    transposer = new ArcTransposer(team, memory);
  }

  /**
   * Makes a hop; those before it have been made.
   *
   * @param hop counted from the seeds
   * @param by how arcs are drawn
   * @param key of all draws of this hop
   * @param number of the batch among those that are sampled together
   */
  void make(int hop, HopDraw by, long key, int number, SampledBatch into) {
    long count = hopArcs.write(hop, by, key, number, into);
    SampledHop made = into.hop(hop);
    int destinations = into.rows(hop);
    int sources = destinations;
    if (hop == into.hops() - 1 && needs.sumsLastHop()) {
      hopArcs.weigh();
      made.finish(destinations, vertexCount);
    } else {
      sources = numberSources(hop, into, count);
      if (made.hasScales()) {
        hopArcs.writeScales(into.ids(), sources, made.scales(sources));
      }
      made.finish(destinations, sources, transposer);
    }
    into.rows(hop + 1, sources);
  }

  private int numberSources(int hop, SampledBatch into, long count) {
    int rows = into.rows(hop);
    if (hop == 0 || numbered != into) {
      numbers.begin(into.ids().values(), rows);
      numbered = into;
    }
    long most = Math.min(rows + count, vertexCount);
    numbers.expect(into.room(most, rows), count);
    return numbers.number(hopArcs.drawn().ids(), count);
  }

  /** Bytes of tables of all vertices. */
  long tableBytes() {
    return numbers.bytes();
  }
}
