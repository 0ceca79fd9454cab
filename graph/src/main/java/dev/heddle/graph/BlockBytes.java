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
  private final Set<Derived> there = EnumSet.noneOf(Derived.class);
  private long bytes;

  /** What a block makes of its arcs at first use, or is told. */
  public enum Derived {
    /** Arcs by source. */
    OUT,
    INVERSE_DEGREES,
    ROOT_DEGREES,
    /** Where arcs by source stand among those by destination. */
    ARC_TWINS,
    /** A factor of one for every source. */
    ONES
  }

  /**
   * Of a block of which nothing was asked yet.
   *
   * @param told what it need not make
   */
  public BlockBytes(Block.Capacity size, boolean weighted, Set<Derived> told) {
    this.size = size;
    this.weighted = weighted;
    there.addAll(told);
  }

  /** {@link Block#out} is asked for. */
  public void out() {
    take(Derived.OUT, CsrBuilder.bytes(size.sources(), size.arcs(), weighted));
  }

  /** {@link Block#arcTwins} are asked for. */
  public void arcTwins() {
    out();
    take(Derived.ARC_TWINS, Memory.padded(Long.BYTES * size.arcs()));
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
    if (weighted && perRow) {
      bytes += Memory.padded(Float.BYTES * size.arcs());
    } else if (!weighted && !perRow) {
      take(Derived.ONES, Memory.padded((long) Float.BYTES * size.sources()));
    }
  }

  private void inverse() {
    take(Derived.INVERSE_DEGREES, Memory.padded((long) Float.BYTES * size.destinations()));
  }

  private void roots() {
    take(Derived.ROOT_DEGREES, Memory.padded((long) Float.BYTES * size.destinations()));
  }

  private void take(Derived what, long count) {
    bytes += there.add(what) ? count : 0;
  }

  /** What all that was asked for takes. */
  public long bytes() {
    return bytes;
  }
}
