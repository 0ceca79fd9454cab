package dev.heddle.train.settings;

/**
 * Workers sample, load and compute every batch together, each vertex by its owner (split
 * parallelism of GSplit, arXiv 2303.13775), instead of each its own seeds with all that is around
 * them.
 */
public record BatchSplit() {
  /** What decides the bits that come out. */
  String identity() {
    return "split";
  }
}
