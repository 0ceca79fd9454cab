package dev.heddle.train.settings;

/**
 * How workers that compute every batch together divide it.
 *
 * @param depth layers nearest the seeds that each worker computes for its own seeds alone, with all
 *     rows that these need, before owners take over; 0 if owners compute all layers. It changes no
 *     gradient
 * @param presample epochs that are sampled beforehand, so that all have equally much to do and few
 *     rows cross; 0 for parts with equally many vertices and arcs
 * @param groups of workers, each of which divides batches of its own share of the seeds
 */
public record BatchSplit(Depth depth, int presample, int groups) {
  /** What GSplit takes. */
  public static final BatchSplit DEFAULT = new BatchSplit(Depth.of(0), 5, 1);

  public BatchSplit {
    if (presample < 0) {
      throw new IllegalArgumentException(
          "no fewer than 0 epochs are sampled beforehand, not " + presample);
    }
    if (groups < 1) {
      throw new IllegalArgumentException("there is at least 1 group, not " + groups);
    }
  }

  public BatchSplit withDepth(Depth value) {
    return new BatchSplit(value, presample, groups);
  }

  public BatchSplit withDepth(int layers) {
    return withDepth(Depth.of(layers));
  }

  public BatchSplit withPresample(int epochs) {
    return new BatchSplit(depth, epochs, groups);
  }

  public BatchSplit withGroups(int count) {
    return new BatchSplit(depth, presample, count);
  }
}
