package dev.heddle.graph.sample;

import java.util.Locale;

/** The ways to sample there are, by the name users write. */
public enum SamplerKind {
  /** Some in-arcs of every vertex, each vertex by itself (Hamilton et al., NeurIPS 2017). */
  NEIGHBOUR,

  /**
   * As many in-arcs as {@link #NEIGHBOUR} in expectation, but vertices choose alike (Balin &
   * Çatalyürek, NeurIPS 2023).
   */
  LABOR,

  /** All arcs inside some parts of a partition (Cluster-GCN, Chiang et al., KDD 2019). */
  CLUSTER,

  /** A subgraph around each vertex, all its arcs (ShaDow, Zeng et al., NeurIPS 2021). */
  SHADOW,

  /**
   * For each layer some vertices, drawn by how much the rows there need of them (Zou et al.,
   * NeurIPS 2019).
   */
  LADIES,

  /**
   * For each layer some vertices, drawn by how much all vertices need of them (Chen, Ma & Xiao,
   * ICLR 2018).
   */
  FASTGCN;

  /** Whether all layers work on the same arcs and rows, not each on its own sample. */
  public boolean induced() {
    return this == CLUSTER || this == SHADOW;
  }

  /** Whether vertices are drawn for a whole layer, not arcs for each vertex. */
  public boolean layerwise() {
    return this == LADIES || this == FASTGCN;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
