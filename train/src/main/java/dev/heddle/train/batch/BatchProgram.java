package dev.heddle.train.batch;

import dev.heddle.graph.BlockBytes;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SampledHop;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.TrainStep;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The model over one of a macrobatch's batches. It is recorded for as many rows as there is room
 * for, and again only when a batch has more or something that it reads lies elsewhere than before.
 */
final class BatchProgram implements TrainStep {
  /** What comes with sampled arcs. */
  private static final Set<BlockBytes.Derived> SAMPLED =
      EnumSet.of(
          BlockBytes.Derived.OUT, BlockBytes.Derived.ROOT_DEGREES, BlockBytes.Derived.ARC_TWINS);

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
    program = model.allocate(recorded(), scratch);
  }

  /**
   * What the program will take for the batch that is loaded now, and for those before it.
   *
   * @param before what it was said to take for these
   */
  Bytes planned(Bytes before) {
    if (idle()) {
      return before;
    }
    model.fit(batch);
    model.input().gathering(macrobatch, number).run();
    Program planned = recorded();
    rows = List.of();
    shuffled = null;
    long own = planned.ownBytes();
    for (int h = 0; h < model.sampledHops(); h++) {
      SampledHop hop = batch.hop(h);
      boolean weighted = hop.in().weights() != null;
      var arcs = new BlockBytes(hop.block().capacity(), weighted, SAMPLED);
      planned.askOf(arcs);
      own += arcs.bytes();
    }
    return new Bytes(Math.max(before.shared, planned.bytes()), Math.max(before.own, own));
  }

  /**
   * Bytes of memory.
   *
   * @param shared for values and gradients, which the programs of all batches use in turn
   * @param own for what each program, and the blocks of its batch, have for themselves
   */
  record Bytes(long shared, long own) {}

  /** The model over as many rows as there is room for. */
  private Program recorded() {
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
    return r.build(output);
  }

  /** Gives memory back, and is not used any more. */
  void close() {
    scratch.close();
  }

  /** The model over the batch's rows, once it is {@link #ready}. */
  Program program() {
    return Objects.requireNonNull(program);
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
  public double run(ThreadTeam team, Step at) {
    Loss loss = model.loss().over(batch.seeds(), seeds);
    return model.pass().run(program(), loss, team, at);
  }
}
