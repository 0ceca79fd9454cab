package dev.heddle.train.plan;

/** What a worker's memory is for. */
public enum Purpose {
  /** Its part of the graph, and what is derived from arcs to be followed. */
  GRAPH("graph part", "more --workers"),
  FEATURES("features", "--features mapped with --batch, or more --workers"),
  /** Of one step; in batches their inputs too. */
  VALUES("values and gradients", "fewer --hidden or --layers, --batch, or --scratch"),
  /** Weights, their gradients, what the optimizer remembers, and the best so far. */
  PARAMETERS("parameters and optimizer", "fewer --hidden or --layers"),
  /** Lists and buffers of rows that travel, and of sums over workers. */
  EXCHANGES("exchanges", "--codec bits8, --pre-aggregate on, or fewer --hidden"),
  /** Samples, and the rows that were fetched for them. */
  BATCHES("batches loaded", "a smaller --batch, --fanout or --macrobatch"),
  /** Rows of others that are kept. */
  CACHE("caches", "a smaller --cache-bytes, or none");

  private final String label;
  private final String help;

  Purpose(String label, String help) {
    this.label = label;
    this.help = help;
  }

  /** What people call it. */
  public String label() {
    return label;
  }

  /** What would make it less. */
  public String help() {
    return help;
  }
}
