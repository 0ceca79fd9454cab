package dev.heddle.train.loop;

/**
 * What came of comparing the models of workers that are some steps apart.
 *
 * @param checks how often they were compared
 * @param repairs how often they differed when all updates were made, and were averaged
 * @param period steps from one comparison to the next, in the end
 * @param shortest period so far
 * @param longest period so far
 * @param divergence the largest distance of a worker's parameters from the mean of all, by the
 *     mean's norm, before updates under way were made
 */
public record ConsistencyReport(
    int checks, int repairs, int period, int shortest, int longest, double divergence) {
  /** Nothing was compared. */
  public static final ConsistencyReport NONE = new ConsistencyReport(0, 0, 0, 0, 0, 0);
}
