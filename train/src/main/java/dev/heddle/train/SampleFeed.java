package dev.heddle.train;

import dev.heddle.graph.sample.Sampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.batch.Ahead;
import java.util.List;

/**
 * The batches of an epoch, one after another, sampled and fetched: at the moment each is asked for,
 * or by a thread that works one batch ahead. Draws are keyed by batch, so that it makes no
 * difference to what comes out.
 */
final class SampleFeed implements AutoCloseable {
  private final Sampler sampler;
  private final SeedOrder seeds;
  private final List<BatchProgram> slots;
  private final ThreadTeam team;
  private final Ahead<BatchProgram> ahead;
  private long arcs;
  private long sampleNanos;
  private long fetchNanos;

  /**
   * A feed.
   *
   * @param slots one; two for a thread that works ahead
   * @param team who sample and fetch, nobody else's
   */
  SampleFeed(BatchPlan plan, List<BatchProgram> slots, ThreadTeam team) {
    sampler = plan.sampler();
    seeds = plan.order();
    this.slots = slots;
    this.team = team;
    ahead = new Ahead<>(slots, seeds.batches(), this::fill, "heddle-sampler");
  }

  /** Epochs up to this one will follow one another. */
  void expect(int lastEpoch) {
    ahead.expect(lastEpoch);
  }

  /** Begins an epoch, the one before having been taken to its end; returns its batches. */
  int begin(int epoch) {
    ahead.begin(epoch);
    return seeds.batches();
  }

  /** The next batch of the epoch. The one given before is free to be filled again. */
  BatchProgram next() {
    return ahead.next();
  }

  private void fill(BatchProgram slot, int epoch, int batch) {
    if (batch == 0) {
      seeds.epoch(epoch);
    }
    long start = System.nanoTime();
    sampler.sample(seeds, batch, slot.batch());
    long sampled = System.nanoTime();
    slot.input().fetch(slot.batch());
    slot.labels().fetch(team, slot.batch());
    arcs += slot.batch().arcs();
    sampleNanos += sampled - start;
    fetchNanos += System.nanoTime() - sampled;
  }

  /** Arcs of all batches so far. */
  long arcs() {
    return arcs;
  }

  double sampleSeconds() {
    return sampleNanos * 1e-9;
  }

  double fetchSeconds() {
    return fetchNanos * 1e-9;
  }

  double idleSeconds() {
    return ahead.idleSeconds();
  }

  @Override
  public void close() {
    ahead.close();
    slots.forEach(BatchProgram::close);
    sampler.close();
  }
}
