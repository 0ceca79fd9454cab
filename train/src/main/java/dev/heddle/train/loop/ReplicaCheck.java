package dev.heddle.train.loop;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.MatrixSum;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.OptimizerState;
import dev.heddle.nn.Parameter;
import dev.heddle.train.settings.Sync;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Compares, from time to time, the models of workers that are some steps apart: how far from each
 * other they are while updates are under way, and whether they are equal when all are made. Those
 * that are equal stay as they are, because an average of equal numbers may have other bits; else
 * parameters and what optimizers remember are averaged, and must be equal then.
 */
final class ReplicaCheck {
  private static final int LAG = WeightSketch.SUMS;
  private static final int STRIDE = LAG + 1;

  private final Group group;
  private final Memory memory;
  private final Replica replica;
  private final OptimizerState state;
  private final int staleness;
  private final SyncPeriod period;
  private final List<Matrix> compared = new ArrayList<>();
  private final double[] measured;
  private final long[] digests;
  private long lastStep;
  private int checks;
  private int repairs;
  private double divergence;
  private double largest;
  private boolean late;

  /**
   * A check; all workers make theirs alike.
   *
   * @param state what the optimizer of the replica remembers
   */
  ReplicaCheck(Worker worker, Replica replica, OptimizerState state, Sync.Racom knob) {
    group = worker.group();
    memory = worker.memory();
    this.replica = replica;
    this.state = state;
    staleness = knob.staleness();
    period = new SyncPeriod(knob.consistency(), knob.staleness());
    replica.moved().stream().map(Parameter::value).forEach(compared::add);
    compared.addAll(state.matrices().values());
    measured = new double[STRIDE * group.size()];
    digests = new long[group.size()];
  }

  /** An epoch of so many steps begins. */
  void begin(int count) {
    period.begin(count);
  }

  /** Whether models are to be compared after so many steps; the same at all workers. */
  boolean isDue(long steps) {
    if (steps - lastStep < period.steps()) {
      return false;
    }
    lastStep = steps;
    return true;
  }

  /**
   * While updates are under way, how far apart models are.
   *
   * @param lag updates that are not made here
   */
  void measure(long lag) {
    Arrays.fill(measured, 0);
    synchronized (replica) {
      WeightSketch.of(replica.whole(), measured, STRIDE * group.rank());
    }
    measured[STRIDE * group.rank() + LAG] = lag;
    group.sum(measured);
    divergence = WeightSketch.divergence(measured, group.size(), STRIDE);
    largest = Math.max(largest, divergence);
    double least = Double.MAX_VALUE;
    double most = 0;
    for (int rank = 0; rank < group.size(); rank++) {
      least = Math.min(least, measured[STRIDE * rank + LAG]);
      most = Math.max(most, measured[STRIDE * rank + LAG]);
    }
    // Who is late waits for nobody: its updates are made when others have many under way.
    late = most - least >= Math.max(2, staleness / 2 + 1);
  }

  /** When all updates are made, and none is before this is over. */
  void compare() {
    checks++;
    boolean equal = areEqual();
    if (!equal) {
      average();
      repairs++;
      if (!areEqual()) {
        throw new IllegalStateException("models of workers differ after they were averaged");
      }
    }
    period.compared(equal, divergence, late);
  }

  private boolean areEqual() {
    Arrays.fill(digests, 0);
    digests[group.rank()] = digest();
    group.sum(digests);
    for (long digest : digests) {
      if (digest != digests[0]) {
        return false;
      }
    }
    return true;
  }

  /** 64 bits of all bits that models and optimizers consist of. */
  private long digest() {
    long digest = state.steps();
    for (int i = 0; i < compared.size(); i++) {
      Matrix matrix = compared.get(i);
      for (int row = 0; row < matrix.rows(); row++) {
        for (int col = 0; col < matrix.cols(); col++) {
          digest = Draws.at(digest, Float.floatToRawIntBits(matrix.get(row, col)));
        }
      }
    }
    return digest;
  }

  private void average() {
    try (Memory scratch = memory.child()) {
      MatrixSum sum = MatrixSum.of(group, scratch, Kind.GRADIENT, compared);
      sum.start();
      sum.await();
      sum.finish();
    }
    float part = 1f / group.size();
    for (Matrix matrix : compared) {
      for (int row = 0; row < matrix.rows(); row++) {
        for (int col = 0; col < matrix.cols(); col++) {
          matrix.set(row, col, matrix.get(row, col) * part);
        }
      }
    }
    synchronized (replica) {
      replica.publish();
      replica.read();
    }
  }

  ConsistencyReport report() {
    return new ConsistencyReport(
        checks, repairs, period.steps(), period.shortest(), period.longest(), largest);
  }
}
