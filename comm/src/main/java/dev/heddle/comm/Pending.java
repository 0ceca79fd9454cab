package dev.heddle.comm;

/** Something that travels while its owner computes. */
@FunctionalInterface
public interface Pending {
  /**
   * Waits until it is done. Memory handed over may be used again only then.
   *
   * @throws GroupException with the first cause, when a worker died, hung or threw
   */
  void await();
}
