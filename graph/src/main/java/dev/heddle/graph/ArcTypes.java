package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * What kind of relation each arc stands for, in the order of {@link Graph#in}.
 *
 * @param values 16 bits per arc: the number of its type
 * @param names by type
 */
public record ArcTypes(MemorySegment values, long arcs, List<String> names) {
  public ArcTypes {
    names = List.copyOf(names);
  }

  /** Arcs that are all of the first type until they are {@link #set}. */
  public static ArcTypes allocate(Memory memory, long arcs, List<String> names) {
    return new ArcTypes(memory.allocate(arcs * Short.BYTES), arcs, names);
  }

  public int at(long arc) {
    return Short.toUnsignedInt(values.getAtIndex(JAVA_SHORT, arc));
  }

  public void set(long arc, int type) {
    values.setAtIndex(JAVA_SHORT, arc, (short) Objects.checkIndex(type, names.size()));
  }

  /** How many arcs there are of each type. */
  public long[] counts() {
    long[] counts = new long[names.size()];
    for (long arc = 0; arc < arcs; arc++) {
      counts[at(arc)]++;
    }
    return counts;
  }

  /** The types of the same arcs between vertices in another order. */
  ArcTypes reordered(Memory memory, Csr in, Permutation order) {
    try (Memory scratch = memory.child()) {
      // As weights they go where the arcs go; a float holds 16 bits exactly.
      MemorySegment weights = scratch.allocateFloats(arcs);
      for (long arc = 0; arc < arcs; arc++) {
        weights.setAtIndex(JAVA_FLOAT, arc, at(arc));
      }
      Csr moved = order.arcs(scratch, in.withWeights(weights));
      ArcTypes types = allocate(memory, arcs, names);
      for (long arc = 0; arc < arcs; arc++) {
        types.set(arc, (int) moved.weight(arc));
      }
      return types;
    }
  }
}
