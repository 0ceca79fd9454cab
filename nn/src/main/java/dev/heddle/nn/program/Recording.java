package dev.heddle.nn.program;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a program is made of.
 *
 * @param constants operations that depend on nothing but constants, and run once
 * @param ops those of every step
 * @param boundaries values that the caller fills before each step
 * @param outputs values that the caller reads, each once
 */
record Recording(List<Op> constants, List<Op> ops, List<Value> boundaries, List<Value> outputs) {
  /** Of what was recorded, all that some output depends on. */
  static Recording of(List<Op> recorded, List<Value> boundaries, List<Value> outputs) {
    requireNothingNeededOverwritten(recorded, outputs);
    Set<Value> needed = new HashSet<>(outputs);
    List<Op> constants = new ArrayList<>();
    List<Op> ops = new ArrayList<>();
    for (Op op : recorded.reversed()) {
      if (needed.contains(op.output())) {
        needed.addAll(op.inputs());
        (op.output().constant() ? constants : ops).add(op);
      }
    }
    if (!needed.containsAll(boundaries)) {
      throw new IllegalStateException("no output depends on a boundary");
    }
    return new Recording(
        constants.reversed(),
        ops.reversed(),
        List.copyOf(boundaries),
        outputs.stream().distinct().toList());
  }

  /** An operation that works in place must be the only one, and the last, to read its input. */
  private static void requireNothingNeededOverwritten(List<Op> recorded, List<Value> outputs) {
    for (int i = 0; i < recorded.size(); i++) {
      Op op = recorded.get(i);
      for (Value x : op.inputs()) {
        if (op.output().sharesMemoryWith(x)
            && (x.external() || outputs.contains(x) || isRead(x, recorded, i))) {
          throw new IllegalStateException(
              op.getClass().getSimpleName() + " would overwrite a value that is still needed");
        }
      }
    }
  }

  private static boolean isRead(Value x, List<Op> recorded, int overwriter) {
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
}
