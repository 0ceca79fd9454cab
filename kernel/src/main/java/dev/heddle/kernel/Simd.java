package dev.heddle.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector shapes of this JVM: at most 256 bits, because rows are padded to eight floats at
 * least. Constants, so that the compiler sees them as such.
 */
final class Simd {
  private static final boolean WIDE = FloatVector.SPECIES_PREFERRED.vectorBitSize() >= 256;

  static final VectorSpecies<Float> FLOATS =
      WIDE ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;
  static final VectorSpecies<Integer> INTS = WIDE ? IntVector.SPECIES_256 : IntVector.SPECIES_128;

  /** As many shorts as there are floats in {@link #FLOATS}. */
  static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, WIDE ? VectorShape.S_128_BIT : VectorShape.S_64_BIT);

  /** As many shorts as a register holds. */
  static final VectorSpecies<Short> FULL_SHORTS =
      WIDE ? ShortVector.SPECIES_256 : ShortVector.SPECIES_128;

  static final int LANES = FLOATS.length();

  private Simd() {}

  /** Vectors that cover {@code cols} floats; rows are padded so that the last may run over. */
  static int vectors(int cols) {
    return (cols + LANES - 1) / LANES;
  }
}
