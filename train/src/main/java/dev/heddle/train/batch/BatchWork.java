package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.nn.Outline;
import dev.heddle.nn.Parameter;
import java.util.Arrays;
import java.util.List;

/**
 * How much there was to do for some batches at one worker, or at all of them: counted, so that what
 * a dry run counts and what training counts can be compared number by number.
 */
public final class BatchWork {
  /** What reading a float along an arc takes beside multiplying one by a parameter. */
  private static final double GATHER = 10;

  /** Of those who train on the whole graph. */
  public static final BatchWork NOTHING = of(0);

  private final int hops;

  /** Rows at each depth, arcs of each hop, rows shuffled, rows of features loaded. */
  private final long[] counts;

  private BatchWork(int hops, long[] counts) {
    this.hops = hops;
    this.counts = counts;
  }

  /** Nothing so far, of a model's hops. */
  static BatchWork of(int hops) {
    return new BatchWork(hops, new long[2 * hops + 3]);
  }

  /** Adds what was sampled for a batch; of its hops, that may be fewer than the model's. */
  void add(SampledBatch batch) {
    for (int depth = 0; depth <= batch.hops(); depth++) {
      counts[depth] += batch.rows(depth);
    }
    for (int hop = 0; hop < batch.hops(); hop++) {
      counts[hops + 1 + hop] += batch.hop(hop).in().arcs();
      if (batch.hop(hop).isShuffled()) {
        counts[2 * hops + 1] += batch.hop(hop).shuffle().sent();
      }
    }
  }

  /** Says how many rows of features were loaded. */
  BatchWork withLoaded(long rows) {
    long[] all = counts.clone();
    all[2 * hops + 2] = rows;
    return new BatchWork(hops, all);
  }

  /** Rows that have a place at a depth, the seeds' being 0. */
  public long rows(int depth) {
    return counts[depth];
  }

  /** Arcs that were drawn in a hop, counted from the seeds. */
  public long arcs(int hop) {
    return counts[hops + 1 + hop];
  }

  /** Arcs of all hops. */
  public long arcs() {
    return Arrays.stream(counts, hops + 1, 2 * hops + 1).sum();
  }

  /** Rows whose arcs were drawn, and that a layer computes: one at every hop counts for each. */
  public long computed() {
    return Arrays.stream(counts, 0, hops).sum();
  }

  /** Rows that went to others before a layer; one that goes to several counts for each. */
  public long shuffled() {
    return counts[2 * hops + 1];
  }

  /** Rows of features that were read here or came from others: each once for all at once. */
  public long loaded() {
    return counts[2 * hops + 2];
  }

  /**
   * What computing all this takes, in multiplications: products of rows with parameters, and
   * gathers along arcs.
   *
   * @param model its sections
   */
  public double multiplications(List<Outline> model) {
    double sum = 0;
    int depth = 0;
    for (Outline section : model.reversed()) {
      long parameters = section.parameters().stream().mapToLong(Parameter::count).sum();
      sum += (double) counts[depth] * parameters;
      for (int hop = 0; hop < section.hops(); hop++) {
        sum += GATHER * arcs(depth++) * section.in().rows();
      }
    }
    return sum;
  }

  /** That of all workers, who all call it. */
  public BatchWork ofAll(Group group) {
    long[] sums = counts.clone();
    group.sum(sums);
    return new BatchWork(hops, sums);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BatchWork work && Arrays.equals(counts, work.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return "rows "
        + Arrays.toString(Arrays.copyOf(counts, hops + 1))
        + ", arcs "
        + Arrays.toString(Arrays.copyOfRange(counts, hops + 1, 2 * hops + 1))
        + ", shuffled "
        + shuffled()
        + ", loaded "
        + loaded();
  }
}
