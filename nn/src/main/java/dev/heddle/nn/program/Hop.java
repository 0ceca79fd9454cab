package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import org.jspecify.annotations.Nullable;

/**
 * One hop of message passing: the block whose arcs are followed, and the rows on its two sides.
 *
 * <p>Destinations are the first rows of the sources, so that a vertex's own row is at hand.
 */
public final class Hop {
  private final Rows sources;
  private final Rows destinations;
  private final @Nullable Block block;
  private final @Nullable Halo halo;

  private Hop(@Nullable Block block, Rows sources, Rows destinations, @Nullable Halo halo) {
    this.block = block;
    this.sources = sources;
    this.destinations = destinations;
    this.halo = halo;
  }

  public static Hop of(Block block, Rows sources, Rows destinations) {
    return new Hop(block, sources, destinations, null);
  }

  /** A hop whose aggregation is done already, outside the program, see {@link Recorder#input}. */
  public static Hop given(Rows destinations) {
    return new Hop(null, destinations, destinations, null);
  }

  /**
   * A hop whose sources are a worker's own rows and, behind these, a halo.
   *
   * @param destinations the own rows, or in a sample the first of them
   */
  public static Hop across(Block block, Rows sources, Rows destinations, Halo halo) {
    return new Hop(block, sources, destinations, halo);
  }

  /** A hop from all vertices of a graph to all of them. */
  public static Hop within(Block block, Rows vertices) {
    return new Hop(block, vertices, vertices, null);
  }

  public Rows sources() {
    return sources;
  }

  public Rows destinations() {
    return destinations;
  }

  /** Whether some of this worker's own rows are no destinations: those of a sample. */
  boolean narrows() {
    return halo == null ? sources != destinations : halo.ofSample();
  }

  /** Where sources that are not destinations come from; null where they are all at hand. */
  @Nullable Halo halo() {
    return halo;
  }

  public Block block() {
    if (block == null) {
      throw new IllegalStateException("a hop whose aggregation is given has no arcs to follow");
    }
    return block;
  }
}
