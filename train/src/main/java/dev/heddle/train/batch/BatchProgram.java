package dev.heddle.train.batch;

import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.TrainStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The model over one of a macrobatch's batches. It is recorded for as many rows as there is room
 * for, and again only when a batch has more or something that it reads lies elsewhere than before.
 */
final class BatchProgram implements TrainStep {
  private final BatchModel model;
  private final Macrobatch macrobatch;
  private final int number;
  private final SampledBatch batch;
  private Memory scratch;
  private List<Rows> rows = List.of();
  private @Nullable ShuffledHops shuffled;
  private BatchInput.@Nullable Gathering gathering;
  private @Nullable Program program;
  private long allocations;
  private long seeds;

  BatchProgram(BatchModel model, Macrobatch macrobatch, int number) {
    this.model = model;
    this.macrobatch = macrobatch;
    this.number = number;
    batch = macrobatch.batch(number);
    scratch = model.newScratch();
  }

  /**
   * Gathers what the batch that is loaded now needs, and has its program ready.
   *
   * @param ofAllWorkers seeds of the batch, of which this worker's are some
   */
  BatchProgram ready(long ofAllWorkers) {
    seeds = ofAllWorkers;
    if (idle()) {
      return this;
    }
    model.fit(batch);
    boolean moved = gathering == null || allocations != currentAllocations();
    if (moved) {
      gathering = model.input().gathering(macrobatch, number);
    }
    Objects.requireNonNull(gathering).run();
    model.labels().fetch(batch);
    if (moved || allocations != currentAllocations() || !fits()) {
      record();
    }
    allocations = currentAllocations();
    for (int depth = 0; depth < rows.size(); depth++) {
      rows.get(depth).resize(batch.rows(depth));
    }
    if (shuffled != null) {
      shuffled.ready();
    }
    return this;
  }

  /** Stays while the sample, what was fetched, inputs and values lie where they were. */
  private long currentAllocations() {
    return macrobatch.allocations(number) + model.allocations();
  }

  private boolean fits() {
    for (int depth = 0; depth < rows.size(); depth++) {
      if (batch.rows(depth) > rows.get(depth).capacity()) {
        return false;
      }
    }
    return shuffled == null || shuffled.fits();
  }

  private void record() {
    scratch.close();
    scratch = model.newScratch();
    rows = new ArrayList<>();
    for (int depth = 0; depth <= model.sampledHops(); depth++) {
      boolean same = depth > 0 && batch.hasSameRows();
      rows.add(same ? rows.getFirst() : new Rows(model.capacity(depth), batch.ids(depth)));
    }
    List<Hop> hops = new ArrayList<>();
    if (model.inputIsSummed()) {
      hops.add(Hop.given(rows.getLast()));
    }
    ShuffledHops.Joint joint = null;
    if (model.isShuffled()) {
      shuffled = new ShuffledHops(model, batch, rows, hops);
      joint = shuffled.joint();
    } else {
      for (int h = model.sampledHops() - 1; h >= 0; h--) {
        hops.add(Hop.of(batch.hop(h).block(), rows.get(h + 1), rows.get(h)));
      }
    }
    Recorder r = model.newRecorder();
    Value output = joint == null ? model.record(r, rows, hops) : model.record(r, rows, hops, joint);
    program = model.allocate(r.build(output), scratch);
  }

  @Override
  public double weight() {
    return seeds;
  }

  @Override
  public boolean idle() {
    // Who has no seeds has perhaps rows that others need.
    return !model.isShuffled() && batch.seeds() == 0;
  }

  @Override
  public Program program() {
    return Objects.requireNonNull(program);
  }

  @Override
  public Loss loss() {
    return model.loss().over(batch.seeds(), seeds);
  }
}
