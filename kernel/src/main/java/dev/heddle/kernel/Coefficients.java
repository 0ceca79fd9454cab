package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What each gathered row is multiplied by: nothing, a value of its source, or a value of its arc.
 *
 * <p>All three are read as {@code values[arc · arcStep + source · sourceStep]}, which lets one
 * kernel without branches serve them; a step of zero reads the constant 1.
 *
 * @param values floats
 * @param arcStep bytes from one arc's value to the next
 * @param sourceStep bytes from one source's value to the next
 */
public record Coefficients(MemorySegment values, long arcStep, long sourceStep) {
  /** Every row counts once. */
  public static final Coefficients ONE = new Coefficients(one(), 0, 0);

  /** One value per source row. */
  public static Coefficients perSource(MemorySegment values) {
    return new Coefficients(values, 0, Float.BYTES);
  }

  /** One value per arc, in the order of the arcs gathered over. */
  public static Coefficients perArc(MemorySegment values) {
    return new Coefficients(values, Float.BYTES, 0);
  }

  float at(long arc, int source) {
    return values.get(JAVA_FLOAT, arc * arcStep + source * sourceStep);
  }

  private static MemorySegment one() {
    MemorySegment one = Arena.global().allocate(Memory.ALIGNMENT, Memory.ALIGNMENT);
    one.set(JAVA_FLOAT, 0, 1);
    return one;
  }
}
