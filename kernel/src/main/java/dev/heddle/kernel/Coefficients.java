package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/**
 * What each gathered row is multiplied by: a value of its source, or a value of its arc.
 *
 * @param values floats, one per source row or per arc in the order of the arcs gathered over
 * @param perArc whether they belong to arcs
 */
public record Coefficients(MemorySegment values, boolean perArc) {
  /** One value per source row. */
  public static Coefficients perSource(MemorySegment values) {
    return new Coefficients(values, false);
  }

  /** One value per arc, in the order of the arcs gathered over. */
  public static Coefficients perArc(MemorySegment values) {
    return new Coefficients(values, true);
  }

  /** Every one of {@code sources} rows counts once. */
  public static Coefficients ones(Memory memory, int sources) {
    MemorySegment ones = memory.allocateFloats(sources);
    for (int i = 0; i < sources; i++) {
      ones.setAtIndex(JAVA_FLOAT, i, 1);
    }
    return perSource(ones);
  }

  /** What the row of a source counts along an arc. */
  public float at(long arc, int source) {
    return values.getAtIndex(JAVA_FLOAT, perArc ? arc : source);
  }
}
