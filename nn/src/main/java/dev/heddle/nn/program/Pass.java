package dev.heddle.nn.program;

import dev.heddle.kernel.RowWork;
import java.util.List;

/** An operation with its memory in place, ready to run any number of times. */
interface Pass {
  void forward(Step step);

  /** What is left of {@link #forward} where that {@linkplain Op#endsPhase() ends a phase}. */
  default void arrive() {}

  /**
   * Reads the gradient of the output and writes those of the inputs that need one, or adds to them
   * (see {@link Value#addsGrad}); adds to the gradients of parameters.
   */
  void backward(Step step);

  /** Told of a step before {@link #forwardWork} of it is run. */
  default void expect(Step step) {}

  /** What {@link #forward} does, some rows at a time, where {@link Op#forwardRows} has them. */
  default List<RowWork> forwardWork() {
    throw new IllegalStateException("forward cannot be done some rows at a time");
  }

  /** What {@link #backward} does, some rows at a time, where {@link Op#backwardRows} has them. */
  default List<RowWork> backwardWork() {
    throw new IllegalStateException("backward cannot be done some rows at a time");
  }
}
