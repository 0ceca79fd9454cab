package dev.heddle.nn.program;

import dev.heddle.graph.Block;

/**
 * One hop of message passing: the block whose arcs are followed, and the rows on its two sides.
 *
 * <p>Destinations are the first rows of the sources, so that a vertex's own row is at hand.
 */
public final class Hop {
  private final Rows sources;
  private final Rows destinations;
  private final Block block;

  private Hop(Block block, Rows sources, Rows destinations) {
    this.block = block;
    this.sources = sources;
    this.destinations = destinations;
  }

  public static Hop of(Block block, Rows sources, Rows destinations) {
    return new Hop(block, sources, destinations);
  }

  /** A hop from all vertices of a graph to all of them. */
  public static Hop within(Block block, Rows vertices) {
    return new Hop(block, vertices, vertices);
  }

  public Rows sources() {
    return sources;
  }

  public Rows destinations() {
    return destinations;
  }

  public Block block() {
    return block;
  }
}
