package dev.heddle.train;

import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.train.batch.Ahead;
import dev.heddle.train.batch.MacroLoader;
import dev.heddle.train.batch.Macrobatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batches of an epoch, one after another, loaded several at a time: at the moment the first of
 * them is asked for, or while those before are trained on.
 */
final class MacroFeed implements AutoCloseable {
  private final MacroLoader loader;
  private final SeedOrder seeds;
  private final List<Slot> slots;
  private final Ahead<Slot> ahead;
  private final int size;
  private @Nullable Slot current;
  private int given;

  /** A macrobatch and the model over each of its batches. */
  record Slot(Macrobatch macrobatch, List<BatchProgram> programs) {}

  /** A feed with one slot, or with two for a thread that works ahead. */
  MacroFeed(MacroLoader loader, SeedOrder seeds, List<Slot> slots) {
    this.loader = loader;
    this.seeds = seeds;
    this.slots = slots;
    size = slots.getFirst().programs().size();
    ahead = new Ahead<>(slots, Math.ceilDiv(seeds.batches(), size), this::fill, "heddle-loader");
  }

  private void fill(Slot slot, int epoch, int item) {
    if (item == 0) {
      seeds.epoch(epoch);
    }
    int first = item * size;
    loader.load(seeds, first, Math.min(size, seeds.batches() - first), slot.macrobatch);
  }

  /** Epochs up to this one will follow one another. */
  void expect(int lastEpoch) {
    ahead.expect(lastEpoch);
  }

  /** Begins an epoch, the one before having been taken to its end; returns its batches. */
  int begin(int epoch) {
    given = 0;
    ahead.begin(epoch);
    return seeds.batches();
  }

  /** The next batch of the epoch; what it reads is still to be gathered. */
  BatchProgram next() {
    int place = given++ % size;
    if (place == 0 || current == null) {
      current = ahead.next();
    }
    return current.programs.get(place);
  }

  /** Batches that are loaded at once. */
  int size() {
    return size;
  }

  /** Seeds of a batch, all workers together. */
  int total(int batch) {
    return seeds.total(batch);
  }

  MacroLoader loader() {
    return loader;
  }

  double idleSeconds() {
    return ahead.idleSeconds();
  }

  /** Bytes that what is loaded takes now. */
  long bytes() {
    return loader.bytes() + slots.stream().mapToLong(s -> s.macrobatch.bytes()).sum();
  }

  @Override
  public void close() {
    ahead.close();
    for (Slot slot : slots) {
      // Programs close the samples that they are of.
      slot.programs.forEach(BatchProgram::close);
      slot.macrobatch.closeRows();
    }
    loader.close();
  }
}
