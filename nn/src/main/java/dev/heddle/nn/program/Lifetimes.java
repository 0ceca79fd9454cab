package dev.heddle.nn.program;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * When each slot of a program is in use. With {@code n} operations in a step, the forward of the
 * operation {@code i} is at {@code i}, what the caller does between the two halves of a step at
 * {@code n}, and the backward of {@code i} at {@code 2n − i}; constants come before {@code 0}.
 */
final class Lifetimes {
  private final Recording recording;
  private final List<Op> ops;
  private final int n;

  /** In the order of first use: the plan must not differ from run to run. */
  private final Set<Slot> slots = new LinkedHashSet<>();

  /**
   * The slots of a program, with their times.
   *
   * @param there operations that run forward together
   * @param back operations that run backward together
   */
  Lifetimes(Recording recording, List<Stretch> there, List<Stretch> back, List<Replay> replays) {
    this.recording = recording;
    ops = recording.ops();
    n = ops.size();
    replays.forEach(this::forget);
    constants();
    boundaries();
    for (int i = 0; i < n; i++) {
      forward(ops.get(i), i);
      if (ops.get(i).output().needsGrad()) {
        backward(ops.get(i), 2 * n - i);
      }
    }
    outputs();
    replaceInputs();
    slots.removeIf(Slot::inherited);
    // What runs together, some rows at a time, must not share memory.
    for (Slot slot : slots) {
      there.forEach(s -> slot.widen(s.from(), s.to() - 1));
      back.forEach(s -> slot.widen(2 * n - (s.to() - 1), 2 * n - s.from()));
    }
  }

  /** All slots. */
  List<Slot> slots() {
    return new ArrayList<>(slots);
  }

  /**
   * The slots that hold something while the program does not run: from when boundaries are filled,
   * from phase to phase, from forward to backward, until the gradients of boundaries are read.
   */
  List<Slot> lasting() {
    return slots.stream().filter(this::lasts).toList();
  }

  /** The others. */
  List<Slot> passing() {
    return slots.stream().filter(slot -> !lasts(slot)).toList();
  }

  private boolean lasts(Slot slot) {
    return slot.holds(filled())
        || slot.holds(n)
        || slot.holds(read())
        || outlastsPhase(slot, recording.constants(), -recording.constants().size())
        || outlastsPhase(slot, ops, 0);
  }

  private static boolean outlastsPhase(Slot slot, List<Op> ops, int firstTime) {
    for (int i = 0; i < ops.size(); i++) {
      int time = firstTime + i;
      if (ops.get(i).endsPhase() && slot.holds(time) && slot.holds(time + 1)) {
        return true;
      }
    }
    return false;
  }

  /** When the caller fills boundaries: before anything runs. */
  private int filled() {
    return -recording.constants().size() - 1;
  }

  /** When the caller reads the gradients of boundaries: when all has run. */
  private int read() {
    return 2 * n + 1;
  }

  /** Says what is not kept from forward to backward. */
  private void forget(Replay replay) {
    int time = 2 * n - (replay.before().to() - 1);
    for (int i : replay.ops()) {
      ops.get(i).output().dataSlot().computeAgainAt(time);
      ops.get(i).kept().forEach(s -> s.computeAgainAt(time));
    }
  }

  private void constants() {
    List<Op> constants = recording.constants();
    for (int i = 0; i < constants.size(); i++) {
      forward(constants.get(i), i - constants.size());
    }
  }

  private void boundaries() {
    for (Value x : recording.boundaries()) {
      use(x.dataSlot(), filled());
      if (x.needsGrad()) {
        use(x.gradSlot(), read());
      }
    }
  }

  private void forward(Op op, int time) {
    use(op.output().dataSlot(), time);
    for (Value x : op.inputs()) {
      use(x.dataSlot(), time);
      if (time >= 0 && x.constant() && !x.external()) {
        x.dataSlot().useAlways();
      }
    }
    op.kept().forEach(s -> use(s, time));
    op.scratch().forEach(s -> useOnce(s, time));
  }

  private void backward(Op op, int time) {
    use(op.output().gradSlot(), time);
    for (Value x : op.inputs()) {
      if (x.needsGrad()) {
        use(x.gradSlot(), time);
      }
      // What an operation has overwritten it cannot read again.
      if (op.keepsInputs() && !op.output().sharesMemoryWith(x)) {
        use(x.dataSlot(), time);
      }
    }
    if (op.keepsOutput()) {
      use(op.output().dataSlot(), time);
    }
    op.kept().forEach(s -> use(s, time));
    op.scratch().forEach(s -> useOnce(s, time));
  }

  /** The caller reads the outputs and writes their gradients between the two halves of a step. */
  private void outputs() {
    for (Value output : recording.outputs()) {
      use(output.dataSlot(), n);
      if (output.needsGrad()) {
        use(output.gradSlot(), n);
        if (output.dataSlot().endsWhereBegins(output.gradSlot(), n)) {
          output.dataSlot().inherit(output.gradSlot());
        }
      }
    }
  }

  /** Lets gradients take the place of values that nobody needs any more. */
  private void replaceInputs() {
    for (int i = 0; i < n; i++) {
      Op op = ops.get(i);
      if (!op.gradReplacesInput()) {
        continue;
      }
      Value x = op.inputs().getFirst();
      if (x.needsGrad() && x.dataSlot().endsWhereBegins(x.gradSlot(), 2 * n - i)) {
        x.dataSlot().inherit(x.gradSlot());
      }
    }
  }

  private void use(Slot slot, int time) {
    if (slot.bytes > 0) {
      slots.add(slot);
      slot.useAt(time);
    }
  }

  private void useOnce(Slot slot, int time) {
    if (slot.bytes > 0) {
      slots.add(slot);
      slot.useOnlyAt(time);
    }
  }
}
