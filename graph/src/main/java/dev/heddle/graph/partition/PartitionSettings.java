package dev.heddle.graph.partition;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a partition is to be like.
 *
 * @param parts how many
 * @param seed the same seed gives the same partition, for any number of threads
 * @param balance the most that a part may have of each constraint, where the mean is 1
 * @param constraints what is to be balanced; at least one
 */
public record PartitionSettings(int parts, long seed, double balance, Set<Constraint> constraints) {
  public PartitionSettings {
    if (parts < 1) {
      throw new IllegalArgumentException("parts must be at least 1, not " + parts);
    }
    if (!(balance >= 1) || balance > 2) {
      throw new IllegalArgumentException("the balance must be 1 to 2, not " + balance);
    }
    if (constraints.isEmpty()) {
      throw new IllegalArgumentException("something must be balanced");
    }
    constraints = Collections.unmodifiableSet(EnumSet.copyOf(constraints));
  }

  /** So many parts with vertices and arcs within 5 % of the mean; seed 0. */
  public static PartitionSettings of(int parts) {
    return new PartitionSettings(parts, 0, 1.05, EnumSet.of(Constraint.VERTICES, Constraint.ARCS));
  }

  public PartitionSettings withSeed(long value) {
    return new PartitionSettings(parts, value, balance, constraints);
  }

  public PartitionSettings withBalance(double value) {
    return new PartitionSettings(parts, seed, value, constraints);
  }

  public PartitionSettings withConstraints(Set<Constraint> value) {
    return new PartitionSettings(parts, seed, balance, value);
  }

  /** Refuses more parts than vertices. */
  void requireFit(int vertices) {
    if (parts > Math.max(1, vertices)) {
      throw new IllegalArgumentException(
          "parts must be at most the " + vertices + " vertices, not " + parts);
    }
  }
}
