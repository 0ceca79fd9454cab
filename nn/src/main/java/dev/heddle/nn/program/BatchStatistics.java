package dev.heddle.nn.program;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Parameter;

/**
 * What a batch normalisation learns, and the running statistics it keeps for evaluation; each
 * {@code 1 × cols}.
 */
public record BatchStatistics(Parameter gamma, Parameter beta, Matrix mean, Matrix variance) {
  /** Statistics that begin with mean 0 and variance 1. */
  public static BatchStatistics allocate(Memory memory, Parameter gamma, Parameter beta) {
    int cols = gamma.value().cols();
    Matrix variance = Matrix.allocate(memory, 1, cols);
    variance.fill(1);
    return new BatchStatistics(gamma, beta, Matrix.allocate(memory, 1, cols), variance);
  }
}
