package dev.heddle.train.settings;

import java.util.Locale;

/** What several workers divide among themselves. */
public enum Split {
  /** Nothing: one worker has the whole graph. As a wish: whatever suits how training steps. */
  NONE,
  /** The graph's vertices, through all layers of a full-graph step. */
  GRAPH,
  /** The training vertices of each batch: every worker learns from those that it owns. */
  SEEDS,
  /**
   * Each batch: every worker samples, loads and computes the vertices that it owns (split
   * parallelism of GSplit, arXiv 2303.13775).
   */
  BATCH,
  /** The model's layers: each worker has some, and vertices pass from one to the next in chunks. */
  LAYERS,
  /** Layers and vertices: a stage of several workers, who share the graph, has some layers. */
  HYBRID;

  /** How so many workers divide their work where nobody says otherwise. */
  public static Split usual(int workers, boolean batches) {
    return workers == 1 ? NONE : batches ? SEEDS : GRAPH;
  }

  /** Whether workers have different layers. */
  public boolean cutsLayers() {
    return this == LAYERS || this == HYBRID;
  }

  /** Whether it divides batches, and not the whole graph. */
  public boolean inBatches() {
    return this == SEEDS || this == BATCH;
  }

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
