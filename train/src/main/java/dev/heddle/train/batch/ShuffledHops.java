package dev.heddle.train.batch;

import dev.heddle.comm.RowExchange;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SampledShuffle;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Rows;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops of one batch that workers compute together, as a program is recorded over them: rows of
 * others before each of them, or from the depth on at which vertices change hands.
 */
final class ShuffledHops {
  private final SampledBatch batch;
  private final BatchShuffles shuffles;
  private final List<Shuffled> shuffled = new ArrayList<>();
  private @Nullable Joint joint;

  /**
   * The rows that move before a hop.
   *
   * @param sources own rows and those of others
   */
  private record Shuffled(int hop, SampledShuffle shuffle, Rows sources, RowExchange.Lists lists) {}

  /**
   * Where vertices change hands.
   *
   * @param depth counted from the seeds
   * @param hop from rows at their owners to rows where they are needed
   */
  record Joint(int depth, Hop hop, SampledShuffle shuffle) {}

  /**
   * Adds the hops of a batch to those that a program is recorded over, the deepest first.
   *
   * @param rows at each depth from the seeds on
   */
  ShuffledHops(BatchModel model, SampledBatch batch, List<Rows> rows, List<Hop> hops) {
    this.batch = batch;
    shuffles = model.shuffling();
    shuffles.beginRecording();
    int depth = shuffles.depth();
    for (int h = rows.size() - 2; h >= depth; h--) {
      Rows sources = add(model, h);
      hops.add(Hop.across(batch.hop(h).block(), sources, rows.get(h), shuffles.halo(h)));
    }
    Rows needed = rows.get(depth);
    if (depth > 0) {
      int last = depth - 1;
      needed = new Rows(model.wantedCapacity(last), batch.ids());
      Rows sources = add(model, last);
      Hop change = Hop.across(batch.hop(last).block(), sources, needed, shuffles.halo(last));
      joint = new Joint(depth, change, batch.hop(last).shuffle());
    }
    for (int h = depth - 1; h >= 0; h--) {
      hops.add(
          Hop.of(batch.hop(h).block(), h == depth - 1 ? needed : rows.get(h + 1), rows.get(h)));
    }
  }

  private Rows add(BatchModel model, int hop) {
    SampledShuffle shuffle = batch.hop(hop).shuffle();
    Rows sources = new Rows(model.sourceCapacity(hop), shuffle.ids());
    shuffled.add(new Shuffled(hop, shuffle, sources, BatchShuffles.lists(shuffle)));
    return sources;
  }

  /** Where vertices change hands; null where they do not. */
  @Nullable Joint joint() {
    return joint;
  }

  /** Whether the batch that is loaded now has no more rows than the recorded hops have room for. */
  boolean fits() {
    for (Shuffled each : shuffled) {
      if (each.shuffle.sources() > each.sources.capacity()) {
        return false;
      }
    }
    return joint == null || joint.shuffle.wanted() <= joint.hop.destinations().capacity();
  }

  /** Makes ready for the batch that is loaded now. */
  void ready() {
    for (Shuffled each : shuffled) {
      each.sources.resize(each.shuffle.sources());
      shuffles.list(each.hop, each.lists);
    }
    if (joint != null) {
      joint.hop.destinations().resize(joint.shuffle.wanted());
    }
  }
}
