package dev.heddle.nn.program;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an operation's result goes: into a value of its own, or added to one that is there.
 *
 * @param output the value after the operation
 * @param onto the value before it, in the same memory; none where the result stands alone
 */
record Target(Value output, @Nullable Value onto) {
  static Target fresh(Rows rows, int cols) {
    return new Target(Value.of(rows, cols), null);
  }

  static Target onto(Value value) {
    return new Target(Value.inPlaceOf(value), value);
  }

  boolean adds() {
    return onto != null;
  }

  /** What the operation reads: {@code x}, and what it adds to. */
  List<Value> inputs(Value x) {
    return onto == null ? List.of(x) : List.of(x, onto);
  }
}
