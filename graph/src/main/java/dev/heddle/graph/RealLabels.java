package dev.heddle.graph;

import dev.heddle.kernel.Matrix;

/** Real values to regress: {@code vertices × values}. */
public record RealLabels(Matrix values) implements Labels {
  @Override
  public int rows() {
    return values.rows();
  }

  @Override
  public int width() {
    return values.cols();
  }
}
