package dev.heddle.graph.sample;

import java.util.Locale;

/** The ways to sample there are, by the name users write. */
public enum SamplerKind {
  /** Some in-arcs of every vertex, each vertex by itself (Hamilton et al., NeurIPS 2017). */
  NEIGHBOUR,

  /** The same in expectation, but vertices choose alike (Balin & Çatalyürek, NeurIPS 2023). */
  LABOR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
