package dev.heddle.nn.program;

/**
 * The sources of a hop that other workers have: they follow this worker's own rows. All workers
 * call the same methods in the same order.
 */
public interface Halo {
  /**
   * Says, while a program is recorded, that rows of a value will travel.
   *
   * @return the way that they, and their gradients, will take
   */
  Passage passage(Travelling value);

  /**
   * Whether it is that of a sample: there are more own rows among the sources than destinations.
   */
  default boolean ofSample() {
    return false;
  }

  /** How many of this worker's rows, the first, are reached from its own rows alone. */
  int central();

  /** Whether rows travel while what needs none of them is computed. */
  boolean overlaps();
}
