package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.ArcTwins;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SourceOrder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which source rows each destination row aggregates, in both directions.
 *
 * <p>The first rows of the sources are the destinations themselves. For a full graph both are all
 * vertices. Degrees are weighted: the sum of a destination's in-arcs. All that is derived from the
 * arcs is made at first use and kept; where arcs are sampled anew for every batch, {@link #refresh}
 * makes it again in the same memory.
 */
public final class Block {
  private final Memory memory;
  private final Csr in;
  private @Nullable Csr out;
  private final Capacity capacity;
  private final List<Runnable> derivations = new ArrayList<>();
  private final Map<Normalisation, Aggregation> forward = new EnumMap<>(Normalisation.class);
  private final Map<Normalisation, Aggregation> backward = new EnumMap<>(Normalisation.class);
  private @Nullable MemorySegment inverseDegree;
  private @Nullable MemorySegment inverseRootDegree;
  private @Nullable MemorySegment sourceInverseRootDegree;
  private @Nullable Coefficients ones;
  private @Nullable ArcTwins arcTwins;
  private @Nullable SourceOrder sourceOrder;

  private Block(Memory memory, Csr in, @Nullable Csr out, Capacity capacity) {
    this.memory = memory;
    this.in = in;
    this.out = out;
    this.capacity = capacity;
  }

  /** The most that a block whose arcs change has room for. */
  public record Capacity(int destinations, int sources, long arcs) {}

  /** A block over arcs whose rows are the destinations; what is derived lives in {@code memory}. */
  public static Block of(Memory memory, Csr in) {
    return over(memory, in, null);
  }

  /** A block of arcs whose transpose is there already. */
  public static Block of(Memory memory, Csr in, Csr out) {
    return over(memory, in, out);
  }

  private static Block over(Memory memory, Csr in, @Nullable Csr out) {
    if (in.rows() > in.cols()) {
      throw new IllegalArgumentException("destinations must be among the sources, not " + in);
    }
    return new Block(memory, in, out, new Capacity(in.rows(), in.cols(), in.arcs()));
  }

  /** A block whose arcs are written anew from time to time, {@link #refresh} being called then. */
  public static Block changing(Memory memory, Csr in, Csr out, Capacity capacity) {
    return new Block(memory, in, out, capacity);
  }

  /** Makes all that is derived from the arcs again; whoever holds it sees it change. */
  public synchronized void refresh() {
    for (int i = 0; i < derivations.size(); i++) {
      derivations.get(i).run();
    }
  }

  /** Computes something from the arcs, now and whenever they change. */
  private void derive(Runnable derivation) {
    derivation.run();
    derivations.add(derivation);
  }

  /** The most rows and arcs that there can be. */
  public Capacity capacity() {
    return capacity;
  }

  /** Arcs by destination: {@code destinations × sources}. */
  public Csr in() {
    return in;
  }

  /**
   * Arcs by source, the transpose of {@link #in}: {@code sources × destinations}. The very same
   * where arcs go both ways. Made at first use where it is not there: models that only run forward
   * do without.
   */
  public synchronized Csr out() {
    if (out == null) {
      out = Transpose.orItself(memory, in);
    }
    return out;
  }

  /** Both directions with the places of arcs in the other; made at first use and kept. */
  public synchronized ArcTwins arcTwins() {
    if (arcTwins == null) {
      arcTwins = ArcTwins.of(memory, in, out());
    }
    return arcTwins;
  }

  /** Tells {@link #arcTwins}, by those who know already where arcs stand. */
  public synchronized void arcTwins(ArcTwins known) {
    arcTwins = known;
  }

  public int destinations() {
    return in.rows();
  }

  public int sources() {
    return in.cols();
  }

  public long arcs() {
    return in.arcs();
  }

  /** {@code 1/d} of each destination, 0 where {@code d} is 0. */
  public synchronized MemorySegment inverseDegree() {
    if (inverseDegree == null) {
      MemorySegment values = memory.allocateFloats(capacity.destinations());
      inverseDegree = values;
      derive(() -> Degrees.inverse(in, values));
    }
    return inverseDegree;
  }

  /**
   * Tells {@link #inverseDegree}, a float per destination, where an arc stands for several: those
   * count that were there before.
   */
  public synchronized void inverseDegree(MemorySegment perDestination) {
    inverseDegree = perDestination;
  }

  /** {@code d^-1/2} of each destination, 0 where {@code d} is not positive. */
  public synchronized MemorySegment symmetricDestination() {
    if (sourceInverseRootDegree != null) {
      return sourceInverseRootDegree;
    }
    if (inverseRootDegree == null) {
      MemorySegment values = memory.allocateFloats(capacity.destinations());
      inverseRootDegree = values;
      derive(() -> Degrees.inverseRoot(in, values));
    }
    return inverseRootDegree;
  }

  /**
   * {@code d^-1/2} of each source, {@code d} being its in-degree too. Only a block whose sources
   * are its destinations knows it of itself.
   */
  public synchronized MemorySegment symmetricSource() {
    if (sourceInverseRootDegree != null) {
      return sourceInverseRootDegree;
    }
    if (sources() != destinations()) {
      throw new IllegalStateException(
          "symmetric normalisation needs the in-arcs of all "
              + sources()
              + " sources, but the block has those of "
              + destinations());
    }
    return symmetricDestination();
  }

  /**
   * Tells {@link #symmetricSource}, a float per source, by those who have their in-arcs; the first
   * ones are those of the destinations.
   */
  public synchronized void symmetricSource(MemorySegment perSource) {
    sourceInverseRootDegree = perSource;
  }

  /**
   * Says, before anything is aggregated, how sources that exceed memory are gone through. Only for
   * running forward.
   */
  public synchronized void sourceOrder(SourceOrder order) {
    sourceOrder = order;
  }

  /** How sources that exceed memory are gone through; null where they are gathered. */
  public synchronized @Nullable SourceOrder sourceOrder() {
    return sourceOrder;
  }

  /** How source rows are gathered into destinations. */
  public synchronized Aggregation forward(Normalisation normalisation) {
    return forward.computeIfAbsent(
        normalisation,
        n ->
            switch (n) {
              case SUM -> new Aggregation(in, arcValues(in, null), null, sourceOrder);
              case MEAN -> new Aggregation(in, arcValues(in, null), inverseDegree(), sourceOrder);
              case SYMMETRIC ->
                  new Aggregation(
                      in, arcValues(in, symmetricSource()), symmetricDestination(), sourceOrder);
            });
  }

  /** The adjoint: how gradients of destinations are gathered back into sources. */
  public synchronized Aggregation backward(Normalisation normalisation) {
    Csr arcs = out();
    return backward.computeIfAbsent(
        normalisation,
        n ->
            switch (n) {
              case SUM -> new Aggregation(arcs, arcValues(arcs, null), null, null);
              case MEAN -> new Aggregation(arcs, arcValues(arcs, inverseDegree()), null, null);
              case SYMMETRIC ->
                  new Aggregation(
                      arcs, arcValues(arcs, symmetricDestination()), symmetricSource(), null);
            });
  }

  /**
   * What rows gathered over {@code arcs} are multiplied by: the arc's weight times a value per row
   * gathered. One of the two alone needs no array of its own.
   */
  private Coefficients arcValues(Csr arcs, @Nullable MemorySegment perRow) {
    MemorySegment weights = arcs.weights();
    if (weights == null) {
      return perRow == null ? ones() : Coefficients.perSource(perRow);
    }
    if (perRow == null) {
      return Coefficients.perArc(weights);
    }
    MemorySegment products = memory.allocateFloats(capacity.arcs());
    derive(() -> {
      for (long arc = 0, n = arcs.arcs(); arc < n; arc++) {
        float value = arcs.weight(arc) * perRow.getAtIndex(JAVA_FLOAT, arcs.id(arc));
        products.setAtIndex(JAVA_FLOAT, arc, value);
      }
    });
    return Coefficients.perArc(products);
  }

  private Coefficients ones() {
    if (ones == null) {
      ones = Coefficients.ones(memory, capacity.sources());
    }
    return ones;
  }

  @Override
  public String toString() {
    return "Block[" + sources() + " -> " + destinations() + ", " + arcs() + " arcs]";
  }
}
