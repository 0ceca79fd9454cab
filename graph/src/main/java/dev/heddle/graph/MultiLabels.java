package dev.heddle.graph;

import dev.heddle.kernel.Matrix;

/** Any number of labels per vertex: {@code vertices × labels} of 0 and 1. */
public record MultiLabels(Matrix values) implements Labels {
  @Override
  public int rows() {
    return values.rows();
  }

  @Override
  public int width() {
    return values.cols();
  }
}
