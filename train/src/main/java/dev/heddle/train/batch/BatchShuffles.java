package dev.heddle.train.batch;

import dev.heddle.comm.RowExchange;
import dev.heddle.comm.Sent;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SampledShuffle;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Halo;
import dev.heddle.train.halo.ShuffledRows;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.CodecKind;
import java.util.ArrayList;
import java.util.List;

/**
 * How rows travel between workers that compute batches together: for each hop an exchange, whose
 * lists are those of the batch whose turn it is. All programs use them in turn.
 */
final class BatchShuffles implements AutoCloseable {
  private final List<ShuffledRows> hops = new ArrayList<>();
  private final int depth;

  /**
   * Exchanges for so many hops; all workers make theirs at the same point.
   *
   * @param depth layers that each worker computes for its own seeds alone
   */
  BatchShuffles(Worker worker, CodecKind codec, int count, int depth) {
    this.depth = depth;
    Memory memory = worker.memory().child();
    for (int hop = 0; hop < count; hop++) {
      hops.add(new ShuffledRows(worker.group(), memory, codec, hop));
    }
  }

  /** The depth from which on vertices are computed by their owners. */
  int depth() {
    return depth;
  }

  /** A program is about to be recorded. */
  void beginRecording() {
    hops.forEach(ShuffledRows::beginRecording);
  }

  /** The rows of others that a hop needs, counted from the seeds. */
  Halo halo(int hop) {
    return hops.get(hop);
  }

  /** From now on rows of a hop travel as a batch needs them. */
  void list(int hop, RowExchange.Lists lists) {
    hops.get(hop).list(lists);
  }

  /** The lists of a hop of a sample, which are rewritten where they lie. */
  static RowExchange.Lists lists(SampledShuffle shuffle) {
    return new RowExchange.Lists(
        shuffle.toSend(),
        shuffle.sentStarts(),
        shuffle.toReceive(),
        shuffle.receivedStarts(),
        shuffle.ids());
  }

  /** Rows that this worker sends in a step over a batch, as it was recorded last. */
  Sent.Amount sent(SampledBatch batch) {
    Sent.Amount all = Sent.Amount.NONE;
    for (int hop = 0; hop < batch.hops(); hop++) {
      if (batch.hop(hop).isShuffled()) {
        all = all.plus(hops.get(hop).sent(lists(batch.hop(hop).shuffle())));
      }
    }
    return all;
  }

  /** Waits until what was sent has left. */
  @Override
  public void close() {
    hops.forEach(ShuffledRows::close);
  }
}
