package dev.heddle.graph;

import dev.heddle.kernel.Memory;
import java.util.EnumSet;
import java.util.Set;

/**
 * Bytes of memory that a {@link Block} will take for what it derives from its arcs, added up from
 * what will be asked of it: everything once, as the block makes it.
 */
public final class BlockBytes {
  private final Block.Capacity size;
  private final boolean weighted;
  private final Set<Normalisation> forward = EnumSet.noneOf(Normalisation.class);
  private final Set<Normalisation> backward = EnumSet.noneOf(Normalisation.class);
  private boolean transposed;
  private boolean hasInverse;
  private boolean hasRoots;
  private boolean hasOnes;
  private boolean hasTwins;
  private long bytes;

  /**
   * Of a block of which nothing was asked yet.
   *
   * @param transposed whether arcs by source are there already
   * @param told whether degrees are told to it, and not its own to make
   */
  public BlockBytes(Block.Capacity size, boolean weighted, boolean transposed, boolean told) {
    this.size = size;
    this.weighted = weighted;
    this.transposed = transposed;
    hasInverse = told;
    hasRoots = told;
  }

  /** {@link Block#out} is asked for. */
  public void out() {
    bytes += transposed ? 0 : CsrBuilder.bytes(size.sources(), size.arcs(), weighted);
    transposed = true;
  }

  /** {@link Block#arcTwins} are asked for. */
  public void arcTwins() {
    out();
    bytes += hasTwins ? 0 : Memory.padded(Long.BYTES * size.arcs());
    hasTwins = true;
  }

  /** {@link Block#forward} is asked for. */
  public void forward(Normalisation normalisation) {
    if (forward.add(normalisation)) {
      switch (normalisation) {
        case SUM -> arcValues(false);
        case MEAN -> {
          arcValues(false);
          inverse();
        }
        case SYMMETRIC -> {
          roots();
          arcValues(true);
        }
      }
    }
  }

  /** {@link Block#backward} is asked for. */
  public void backward(Normalisation normalisation) {
    out();
    if (backward.add(normalisation)) {
      switch (normalisation) {
        case SUM -> arcValues(false);
        case MEAN -> {
          inverse();
          arcValues(true);
        }
        case SYMMETRIC -> {
          roots();
          arcValues(true);
        }
      }
    }
  }

  private void arcValues(boolean perRow) {
    if (weighted) {
      bytes += perRow ? Memory.padded(Float.BYTES * size.arcs()) : 0;
    } else if (!perRow && !hasOnes) {
      bytes += Memory.padded((long) Float.BYTES * size.sources());
      hasOnes = true;
    }
  }

  private void inverse() {
    bytes += hasInverse ? 0 : Memory.padded((long) Float.BYTES * size.destinations());
    hasInverse = true;
  }

  private void roots() {
    bytes += hasRoots ? 0 : Memory.padded((long) Float.BYTES * size.destinations());
    hasRoots = true;
  }

  /** What all that was asked for takes. */
  public long bytes() {
    return bytes;
  }
}
