package dev.heddle.nn.program;

/** An operation with its memory in place, ready to run any number of times. */
interface Pass {
  void forward(Step step);

  /**
   * Reads the gradient of the output and writes those of the inputs that need one, or adds to them
   * (see {@link Value#addsGrad}); adds to the gradients of parameters.
   */
  void backward(Step step);
}
