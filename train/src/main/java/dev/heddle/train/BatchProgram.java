package dev.heddle.train;

import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A batch with all that a step on it needs, and the model over its rows. The model is recorded
 * once, for as many rows as there may be, and again only when a batch has more.
 */
final class BatchProgram implements AutoCloseable {
  private final Model model;
  private final boolean firstGiven;
  private final ProgramMemory values;
  private final ThreadTeam team;
  private final Memory memory;
  private final SampledBatch batch;
  private final BatchInput input;
  private final BatchLabels labels;
  private final Loss loss;
  private final boolean halfWidth;
  private Memory own;
  private List<Rows> rows = List.of();
  private @Nullable Program program;
  private int batchVersion;
  private int inputVersion;
  private int generation;

  /**
   * What all batches of a run have in common.
   *
   * @param firstGiven whether the input comes with the model's first aggregation
   */
  record Common(
      Model model, boolean firstGiven, ProgramMemory values, ThreadTeam team, boolean halfWidth) {}

  /** What is filled for each batch. */
  record Filled(SampledBatch batch, BatchInput input, BatchLabels labels) {}

  BatchProgram(Common common, Filled filled, int mostSeeds, Memory memory) {
    model = common.model();
    firstGiven = common.firstGiven();
    values = common.values();
    team = common.team();
    halfWidth = common.halfWidth();
    batch = filled.batch();
    input = filled.input();
    labels = filled.labels();
    this.memory = memory;
    own = memory.child();
    int[] all = IntStream.range(0, mostSeeds).toArray();
    loss = Loss.of(memory, labels.ofSeeds(), all, mostSeeds);
  }

  SampledBatch batch() {
    return batch;
  }

  BatchInput input() {
    return input;
  }

  BatchLabels labels() {
    return labels;
  }

  /** The loss over the batch's seeds, of which there may be fewer than in others. */
  Loss loss() {
    return loss.over(batch.seeds());
  }

  /** The same where the seeds are some of so many, the others being other workers'. */
  Loss loss(long count) {
    return loss.over(batch.seeds(), count);
  }

  /** The model over the rows that the batch has now. */
  Program program() {
    int depths = hops() + 1;
    for (int depth = 0; depth < depths; depth++) {
      values.fit(depth, batch.rows(depth));
    }
    if (program == null
        || generation != values.generation()
        || batchVersion != batch.version()
        || inputVersion != input.version()) {
      record();
    }
    for (int depth = 0; depth < depths; depth++) {
      rows.get(depth).resize(batch.rows(depth));
    }
    return Objects.requireNonNull(program);
  }

  /** Hops whose arcs the model follows. */
  private int hops() {
    return firstGiven ? model.hops() - 1 : model.hops();
  }

  private void record() {
    own.close();
    own = memory.child();
    rows = new ArrayList<>();
    for (int depth = 0; depth <= hops(); depth++) {
      boolean same = depth > 0 && batch.hasSameRows();
      rows.add(same ? rows.getFirst() : new Rows(values.rows(depth), batch.ids()));
    }
    List<Hop> hops = new ArrayList<>();
    if (firstGiven) {
      hops.add(Hop.given(rows.getLast()));
    }
    for (int h = hops() - 1; h >= 0; h--) {
      hops.add(Hop.of(batch.hop(h).block(), rows.get(h + 1), rows.get(h)));
    }
    Recorder r = new Recorder(new Recorder.Options(false, halfWidth));
    Program recorded = r.build(model.record(r, hops, input.record(r, rows, hops)));
    program = recorded.allocateOver(values.require(recorded.bytes()), own, team);
    generation = values.generation();
    batchVersion = batch.version();
    inputVersion = input.version();
  }

  @Override
  public void close() {
    own.close();
    batch.close();
    input.close();
  }
}
