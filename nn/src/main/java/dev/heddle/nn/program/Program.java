package dev.heddle.nn.program;

import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model's computation over given rows: runs forward and backward any number of times.
 *
 * <p>Operations that depend on nothing but constants (the aggregation of input features, above all)
 * run once, before the first step. All buffers are planned together: values share memory where
 * their lifetimes allow, and {@link #bytes} is known before anything is allocated. Steps allocate
 * nothing.
 */
public final class Program {
  private final Recording recording;
  private final List<Op> constants;
  private final List<Op> ops;
  private final List<Stretch> there;
  private final List<Stretch> back;
  private final List<Replay> replays;
  private final Lifetimes lifetimes;
  private final SlotPlan plan;
  private final int fetchesOnce;
  private final int fetches;
  private @Nullable Phases once;
  private @Nullable Phases forward;
  private Stretch.Run[] backward = {};
  private boolean constantsReady;

  private Program(Recording recording, boolean recompute) {
    this.recording = recording;
    constants = recording.constants();
    ops = recording.ops();
    recording.outputs().stream().filter(Value::needsGrad).forEach(Value::gradGiven);
    for (Op op : ops.reversed()) {
      op.inputs().stream().filter(Value::needsGrad).forEach(x -> x.gradWrittenBy(op));
    }
    fetchesOnce = (int) constants.stream().filter(Op::endsPhase).count();
    fetches = (int) ops.stream().filter(Op::endsPhase).count();
    there = Stretch.of(ops, Op::forwardRows);
    back = Stretch.of(ops, op -> op.output().needsGrad() ? op.backwardRows() : null);
    replays = recompute ? Replay.of(recording, back) : List.of();
    lifetimes = new Lifetimes(recording, there, back, replays);
    plan = SlotPlan.of(lifetimes.slots());
  }

  /**
   * A program of what was recorded.
   *
   * @param recompute see {@link Replay}
   */
  static Program of(Recording recording, boolean recompute) {
    return new Program(recording, recompute);
  }

  /** Bytes that {@link #allocate} will take for values, gradients and what operations keep. */
  public long bytes() {
    return plan.bytes();
  }

  /** Bytes that operations take besides {@link #bytes} when they are readied. */
  public long ownBytes() {
    return all().mapToLong(Op::ownBytes).sum();
  }

  /** Asks of a block, whose arcs every hop of the program follows, what operations will ask. */
  public void askOf(BlockBytes block) {
    all().forEach(op -> op.askOf(block));
  }

  /** Columns of every sum over the rows of all workers in a step of training. */
  public List<Integer> totals() {
    return all().flatMap(op -> op.totals().stream()).toList();
  }

  private Stream<Op> all() {
    return Stream.concat(constants.stream(), ops.stream());
  }

  /** Takes the planned memory and readies every operation. */
  public Program allocate(Memory memory, ThreadTeam team) {
    plan.allocate(memory);
    return ready(memory, team);
  }

  /**
   * Readies every operation over {@link #bytes} that another program may use when this one does not
   * run: two programs whose steps take turns need memory for one.
   */
  public Program allocateOver(MemorySegment values, Memory memory, ThreadTeam team) {
    plan.place(values);
    return ready(memory, team);
  }

  /**
   * Bytes of what must stay while other programs run: from phase to phase, from forward to
   * backward, and at boundaries and outputs.
   */
  public long lastingBytes() {
    return SlotPlan.of(lifetimes.lasting()).bytes();
  }

  /** Bytes of all else. */
  public long passingBytes() {
    return SlotPlan.of(lifetimes.passing()).bytes();
  }

  /**
   * Readies every operation over {@link #lastingBytes} of this program's own and {@link
   * #passingBytes} that other programs may use too: the steps of all may go forward, in phases or
   * at once, before any goes backward, but one runs at a time.
   */
  public Program allocateOver(
      MemorySegment lasting, MemorySegment passing, Memory memory, ThreadTeam team) {
    SlotPlan.of(lifetimes.lasting()).place(lasting);
    SlotPlan.of(lifetimes.passing()).place(passing);
    return ready(memory, team);
  }

  private Program ready(Memory memory, ThreadTeam team) {
    recording.boundaries().forEach(Value::materialise);
    List<Stretch> apart = Stretch.of(constants, _ -> null);
    once = Phases.of(constants, apart, prepare(constants, team, memory), team);
    Pass[] passes = prepare(ops, team, memory);
    forward = Phases.of(ops, there, passes, team);
    List<Stretch.Run> runs = new ArrayList<>();
    for (Stretch stretch : back.reversed()) {
      if (ops.get(stretch.from()).output().needsGrad()) {
        replays.stream()
            .filter(replay -> replay.before().equals(stretch))
            .flatMap(replay -> replay.ops().stream())
            .forEach(i -> runs.add(passes[i]::forward));
        runs.add(stretch.backward(passes, team));
      }
    }
    backward = runs.toArray(Stretch.Run[]::new);
    return this;
  }

  private static Pass[] prepare(List<Op> ops, ThreadTeam team, Memory memory) {
    Pass[] prepared = new Pass[ops.size()];
    for (int i = 0; i < prepared.length; i++) {
      Op op = ops.get(i);
      op.inputs().forEach(Value::materialise);
      op.output().materialise();
      prepared[i] = op.prepare(team, memory);
    }
    return prepared;
  }

  /** Computes the outputs from the current parameters. */
  public void forward(Step step) {
    for (int phase = 0; phase < phases(); phase++) {
      forward(step, phase);
    }
  }

  /**
   * How many phases forward has: one more than there are values whose rows travel. Those of
   * constants come first; they travel in the first run, and their phases are empty in later ones.
   */
  public int phases() {
    return fetchesOnce + fetches + 1;
  }

  /**
   * One phase of forward: it ends when rows of a value have {@linkplain Passage#start set out}, and
   * the next begins by {@linkplain Passage#finish waiting} for those of others. Programs of several
   * parts of a graph that run phase by phase, each phase of all before the next of any, compute
   * what one program of the whole would. Each needs memory of its own for that.
   *
   * @param phase from 0; all are run, in their order
   */
  public void forward(Step step, int phase) {
    if (!constantsReady && phase <= fetchesOnce) {
      Objects.requireNonNull(once).run(phase, step);
      if (phase == fetchesOnce) {
        constantsReady = true;
        unloadInputs();
      }
    }
    if (phase >= fetchesOnce) {
      Objects.requireNonNull(forward).run(phase - fetchesOnce, step);
    }
  }

  /** Features of which only the aggregation is needed from now on need not stay in memory. */
  private void unloadInputs() {
    Set<Value> read = Collections.newSetFromMap(new IdentityHashMap<>());
    ops.forEach(op -> read.addAll(op.inputs()));
    constants.stream()
        .flatMap(op -> op.inputs().stream())
        .filter(x -> x.external() && x.sparse() == null && !read.contains(x))
        .forEach(x -> x.data().unload());
  }

  /** Adds to the parameters' gradients, from those of all outputs, which the caller has set. */
  public void backward(Step step) {
    for (Stretch.Run run : backward) {
      run.run(step);
    }
  }

  /** What {@link #forward} has computed, the first output; {@link #backward} may overwrite it. */
  public Matrix output() {
    return first().data();
  }

  /**
   * Where the caller writes the gradient of the first output. It may lie in the output's own
   * memory: a loss reads each row before it writes that row's gradient.
   */
  public Matrix outputGrad() {
    return first().grad();
  }

  /** Columns of {@link #output}, known before there is memory for it. */
  public int outputCols() {
    return first().cols();
  }

  public Rows outputRows() {
    return first().rows();
  }

  private Value first() {
    return recording.outputs().getFirst();
  }

  /** Parameters in the order of their first use. */
  public List<Parameter> parameters() {
    return ops.stream().flatMap(op -> op.parameters().stream()).distinct().toList();
  }
}
