package dev.heddle.train.batch;

import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Flow;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.loop.ForwardBackward;
import dev.heddle.train.loop.Loss;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A model that is trained in batches, and all that its programs use in turn: the input, labels and
 * loss of a batch, and the memory of values and gradients.
 */
final class BatchModel {
  private final Model model;
  private final InputSum sum;
  private final boolean halfWidth;
  private final ThreadTeam team;
  private final Memory memory;
  private final Memory scratch;
  private final BatchInput input;
  private final BatchLabels labels;
  private final Loss loss;
  private final ForwardBackward pass = new ForwardBackward();
  private final @Nullable BatchShuffles shuffles;
  private final ProgramMemory values;

  /**
   * A model over batches.
   *
   * @param halfWidth whether rows are rounded to bfloat16 before they are gathered
   * @param shuffles by which rows travel between workers that compute batches together; else null
   * @param memory of which {@code input} and {@code labels} have theirs
   */
  BatchModel(
      Model model,
      InputSum sum,
      boolean halfWidth,
      BatchInput input,
      BatchLabels labels,
      @Nullable BatchShuffles shuffles,
      ThreadTeam team,
      Memory memory) {
    this.model = model;
    this.sum = sum;
    this.halfWidth = halfWidth;
    this.input = input;
    this.labels = labels;
    this.shuffles = shuffles;
    this.team = team;
    this.memory = memory;
    // Apart: what programs need for themselves moves nothing that others read.
    scratch = memory.sibling();
    int[] all = IntStream.range(0, labels.most()).toArray();
    loss = Loss.of(memory, labels.ofSeeds(), all, Math.max(1, labels.most()));
    values = new ProgramMemory(memory);
  }

  BatchInput input() {
    return input;
  }

  BatchLabels labels() {
    return labels;
  }

  Loss loss() {
    return loss;
  }

  ForwardBackward pass() {
    return pass;
  }

  /** Whether the input comes with the model's first aggregation. */
  boolean inputIsSummed() {
    return sum != InputSum.NONE;
  }

  /** Hops whose arcs the model follows. */
  int sampledHops() {
    return inputIsSummed() ? model.hops() - 1 : model.hops();
  }

  /** Makes room for the rows of a batch. */
  void fit(SampledBatch batch) {
    for (int depth = 0; depth <= sampledHops(); depth++) {
      values.fit(depth, batch.rows(depth));
    }
    if (shuffles != null) {
      for (int hop = 0; hop < sampledHops(); hop++) {
        if (batch.hop(hop).isShuffled()) {
          values.fit(sourcesOf(hop), batch.hop(hop).shuffle().sources());
          values.fit(wantedOf(hop), batch.hop(hop).shuffle().wanted());
        }
      }
    }
    input.fit(batch);
  }

  // Behind all depths: sources of hops, some of which are others' rows, and those wanted of them.

  private int sourcesOf(int hop) {
    return sampledHops() + 1 + 2 * hop;
  }

  private int wantedOf(int hop) {
    return sourcesOf(hop) + 1;
  }

  /** The most sources of a hop, others' rows among them, that a program is recorded for. */
  int sourceCapacity(int hop) {
    return values.capacity(sourcesOf(hop));
  }

  /** The most rows that are wanted of the sources of a hop. */
  int wantedCapacity(int hop) {
    return values.capacity(wantedOf(hop));
  }

  /** Whether workers compute batches together. */
  boolean isShuffled() {
    return shuffles != null;
  }

  /** How rows travel between workers that compute batches together. */
  BatchShuffles shuffling() {
    return Objects.requireNonNull(shuffles);
  }

  /** The most rows at a depth that a program is recorded for. */
  int capacity(int depth) {
    return values.capacity(depth);
  }

  Recorder newRecorder() {
    return new Recorder(new Recorder.Options(false, halfWidth));
  }

  Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    return model.record(r, hops, input.record(r, rows, hops));
  }

  /** Records a model whose rows change hands at some depth. */
  Value record(Recorder r, List<Rows> rows, List<Hop> hops, ShuffledHops.Joint joint) {
    int taken = model.hops() - joint.depth();
    int section = model.sectionAfter(taken);
    Flow in = Flow.of(input.record(r, rows, hops));
    Flow owned = model.record(r, 0, section, hops.subList(0, taken), in);
    Rows own = rows.get(joint.depth());
    Flow needed = owned.map(x -> r.regroup(own, joint.hop(), joint.shuffle().order(), x));
    return model
        .record(r, section, model.sections(), hops.subList(taken, hops.size()), needed)
        .rows();
  }

  /** Readies a program over the memory that all use in turn. */
  Program allocate(Program recorded, Memory own) {
    return recorded.allocateOver(values.require(recorded.bytes()), own, team);
  }

  /** Memory for what one program needs for itself. */
  Memory newScratch() {
    return scratch.child();
  }

  /** Changes whenever the input, labels or values lie elsewhere than before. */
  long allocations() {
    return memory.allocations();
  }
}
