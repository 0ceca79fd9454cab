package dev.heddle.graph;

/** What is known of vertices and to be predicted of others. */
public sealed interface Labels permits ClassLabels, MultiLabels, RealLabels {
  /** Vertices. */
  int rows();

  /** How many outputs a model has for them: classes, labels or values. */
  int width();
}
