package dev.heddle.nn.program;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A model's computation over given rows: runs forward and backward any number of times.
 *
 * <p>Operations that depend on nothing but constants (the aggregation of input features, above all)
 * run once, before the first step. All buffers are planned together: values share memory where
 * their lifetimes allow, and {@link #bytes} is known before anything is allocated. Steps allocate
 * nothing.
 */
public final class Program {
  private final List<Op> constants = new ArrayList<>();
  private final List<Op> ops = new ArrayList<>();
  private final Value output;
  private final List<Stretch> there;
  private final List<Stretch> back;
  private final SlotPlan plan;
  private Stretch.Run[][] constantPhases = {{}};
  private Stretch.Run[][] forwardPhases = {{}};
  private Stretch.Run[] backward = {};
  private boolean constantsReady;
  private boolean makesConstants;

  private Program(List<Op> recorded, Value output) {
    this.output = output;
    for (Op op : recorded) {
      (op.output().constant() ? constants : ops).add(op);
    }
    checkInPlace(recorded);
    for (Op op : ops.reversed()) {
      op.inputs().stream().filter(Value::needsGrad).forEach(x -> x.gradWrittenBy(op));
    }
    there = Stretch.of(ops, Op::forwardRows);
    back = Stretch.of(ops, op -> op.output().needsGrad() ? op.backwardRows() : null);
    plan = SlotPlan.of(lifetimes());
  }

  static Program of(List<Op> recorded, Value output) {
    return new Program(recorded, output);
  }

  /** An operation that works in place must be the only one, and the last, to read its input. */
  private void checkInPlace(List<Op> recorded) {
    for (int i = 0; i < recorded.size(); i++) {
      Op op = recorded.get(i);
      for (Value x : op.inputs()) {
        if (op.output().sharesMemoryWith(x) && (x.external() || isNeeded(x, recorded, i))) {
          throw new IllegalStateException(
              op.getClass().getSimpleName() + " would overwrite a value that is still needed");
        }
      }
    }
  }

  private boolean isNeeded(Value x, List<Op> recorded, int overwriter) {
    if (x == output) {
      return true;
    }
    for (int j = 0; j < recorded.size(); j++) {
      Op other = recorded.get(j);
      // The overwriter reads the value too, but as the one it overwrites and nothing else.
      int reads = Collections.frequency(other.inputs(), x) - (j == overwriter ? 1 : 0);
      boolean keeps = other.output() == x && other.keepsOutput();
      if (reads > 0 || keeps) {
        return true;
      }
    }
    return false;
  }

  private List<Slot> lifetimes() {
    // In the order of first use: the plan must not differ from run to run.
    Set<Slot> slots = new LinkedHashSet<>();
    int n = ops.size();
    for (int i = 0; i < constants.size(); i++) {
      Op op = constants.get(i);
      int time = i - constants.size();
      use(slots, op.output().dataSlot(), time);
      op.inputs().forEach(x -> use(slots, x.dataSlot(), time));
      op.kept().forEach(s -> use(slots, s, time));
      op.scratch().forEach(s -> useOnce(slots, s, time));
    }
    for (int i = 0; i < n; i++) {
      Op op = ops.get(i);
      int forward = i;
      int backward = 2 * n - i;
      use(slots, op.output().dataSlot(), forward);
      for (Value x : op.inputs()) {
        use(slots, x.dataSlot(), forward);
        if (x.constant() && !x.external()) {
          x.dataSlot().useAlways();
        }
      }
      op.kept().forEach(s -> use(slots, s, forward));
      op.scratch().forEach(s -> useOnce(slots, s, forward));
      if (!op.output().needsGrad()) {
        continue;
      }
      use(slots, op.output().gradSlot(), backward);
      for (Value x : op.inputs()) {
        if (x.needsGrad()) {
          use(slots, x.gradSlot(), backward);
        }
        // What an operation has overwritten it cannot read again.
        if (op.keepsInputs() && !op.output().sharesMemoryWith(x)) {
          use(slots, x.dataSlot(), backward);
        }
      }
      if (op.keepsOutput()) {
        use(slots, op.output().dataSlot(), backward);
      }
      op.kept().forEach(s -> use(slots, s, backward));
      op.scratch().forEach(s -> useOnce(slots, s, backward));
    }
    // The caller reads the output and writes its gradient between the two halves of a step.
    use(slots, output.dataSlot(), n);
    if (output.needsGrad()) {
      use(slots, output.gradSlot(), n);
      if (output.dataSlot().endsWhereBegins(output.gradSlot(), n)) {
        output.dataSlot().inherit(output.gradSlot());
      }
    }
    replaceInputs();
    slots.removeIf(Slot::inherited);
    // What runs together, some rows at a time, must not share memory.
    for (Slot slot : slots) {
      there.forEach(s -> slot.widen(s.from(), s.to() - 1));
      back.forEach(s -> slot.widen(2 * n - (s.to() - 1), 2 * n - s.from()));
    }
    return new ArrayList<>(slots);
  }

  /** Lets gradients take the place of values that nobody needs any more. */
  private void replaceInputs() {
    for (int i = 0; i < ops.size(); i++) {
      Op op = ops.get(i);
      if (!op.gradReplacesInput()) {
        continue;
      }
      Value x = op.inputs().getFirst();
      if (x.needsGrad() && x.dataSlot().endsWhereBegins(x.gradSlot(), 2 * ops.size() - i)) {
        x.dataSlot().inherit(x.gradSlot());
      }
    }
  }

  private static void use(Set<Slot> slots, Slot slot, int time) {
    if (slot.bytes > 0) {
      slots.add(slot);
      slot.useAt(time);
    }
  }

  private static void useOnce(Set<Slot> slots, Slot slot, int time) {
    if (slot.bytes > 0) {
      slots.add(slot);
      slot.useOnlyAt(time);
    }
  }

  /** Bytes that {@link #allocate} will take for values, gradients and what operations keep. */
  public long bytes() {
    return plan.bytes();
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

  private Program ready(Memory memory, ThreadTeam team) {
    Pass[] once = prepare(constants, team, memory);
    Pass[] passes = prepare(ops, team, memory);
    constantPhases = phases(constants, Stretch.of(constants, _ -> null), once, team);
    forwardPhases = phases(ops, there, passes, team);
    backward =
        back.reversed().stream()
            .filter(s -> ops.get(s.from()).output().needsGrad())
            .map(s -> s.backward(passes, team))
            .toArray(Stretch.Run[]::new);
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

  /** Forward in pieces: each but the last ends when rows have been asked of others. */
  private static Stretch.Run[][] phases(
      List<Op> ops, List<Stretch> stretches, Pass[] passes, ThreadTeam team) {
    List<Stretch.Run[]> phases = new ArrayList<>();
    List<Stretch.Run> phase = new ArrayList<>();
    for (Stretch stretch : stretches) {
      phase.add(stretch.forward(passes, team));
      if (ops.get(stretch.from()) instanceof FetchHalo) {
        phases.add(phase.toArray(Stretch.Run[]::new));
        phase.clear();
        Pass fetch = passes[stretch.from()];
        phase.add(_ -> fetch.arrive());
      }
    }
    phases.add(phase.toArray(Stretch.Run[]::new));
    return phases.toArray(Stretch.Run[][]::new);
  }

  /** Computes the output from the current parameters. */
  public void forward(Step step) {
    for (int phase = 0, n = phases(); phase < n; phase++) {
      forward(step, phase);
    }
  }

  /**
   * Phases of the next {@link #forward(Step)}: each but the last ends when rows have been asked of
   * others, and the next begins by waiting for them. The first forward has more, since constants
   * are made then.
   */
  public int phases() {
    return (constantsReady ? 0 : constantPhases.length - 1) + forwardPhases.length;
  }

  /**
   * One phase of forward, after those before it. Programs over parts of a graph that run phase by
   * phase, in turns, each find what the others have made in the phase before.
   */
  public void forward(Step step, int phase) {
    if (phase == 0) {
      makesConstants = !constantsReady;
    }
    int last = makesConstants ? constantPhases.length - 1 : 0;
    if (phase < last || (phase == last && makesConstants)) {
      run(constantPhases[phase], step);
    }
    if (phase == last && makesConstants) {
      constantsReady = true;
      unloadInputs();
    }
    if (phase >= last) {
      run(forwardPhases[phase - last], step);
    }
  }

  private static void run(Stretch.Run[] runs, Step step) {
    for (Stretch.Run run : runs) {
      run.run(step);
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

  /** Adds to the parameters' gradients, from {@code outputGrad()} which the caller has set. */
  public void backward(Step step) {
    run(backward, step);
  }

  /** What {@link #forward} has computed; {@link #backward} may overwrite it. */
  public Matrix output() {
    return output.data();
  }

  /**
   * Where the caller writes the gradient of the output. It may lie in the output's own memory: a
   * loss reads each row before it writes that row's gradient.
   */
  public Matrix outputGrad() {
    return output.grad();
  }

  public Rows outputRows() {
    return output.rows();
  }

  /** Parameters in the order of their first use. */
  public List<Parameter> parameters() {
    return ops.stream().flatMap(op -> op.parameters().stream()).distinct().toList();
  }
}
