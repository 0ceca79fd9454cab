package dev.heddle.train.settings;

/**
 * How workers that compute every batch together divide the graph's vertices.
 *
 * @param presample epochs that are sampled beforehand, so that all have equally much to do and few
 *     rows cross; 0 for parts with equally many vertices and arcs
 */
public record BatchSplit(int presample) {
  /** What GSplit takes. */
  public static final BatchSplit DEFAULT = new BatchSplit(5);

  public BatchSplit {
    if (presample < 0) {
      throw new IllegalArgumentException(
          "no fewer than 0 epochs are sampled beforehand, not " + presample);
    }
  }
}
