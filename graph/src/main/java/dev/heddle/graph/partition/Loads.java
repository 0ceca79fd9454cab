package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import java.util.Collection;

/**
 * What vertices weigh in each of the things to be balanced.
 *
 * @param values {@code values[v * constraints + c]}
 */
@SuppressWarnings("ArrayRecordComponent") // Millions of numbers that hot loops read.
record Loads(int constraints, int[] values) {
  /** The loads of a graph's vertices. */
  static Loads of(Graph graph, Collection<Constraint> constraints) {
    int[] values = new int[Math.multiplyExact(graph.vertices(), constraints.size())];
    int at = 0;
    for (Constraint constraint : constraints) {
      constraint.load(graph, values, constraints.size(), at++);
    }
    return new Loads(constraints.size(), values);
  }

  /**
   * The most that each of so many parts may hold of each constraint: {@code balance} times the
   * mean, but no less than can be reached with whole vertices.
   */
  long[] most(PartitionSettings settings) {
    long[] totals = new long[constraints];
    int[] largest = new int[constraints];
    for (int at = 0; at < values.length; at++) {
      totals[at % constraints] += values[at];
      largest[at % constraints] = Math.max(largest[at % constraints], values[at]);
    }
    long[] most = new long[constraints];
    int parts = settings.parts();
    for (int c = 0; c < constraints; c++) {
      long least = Math.max(Math.ceilDiv(totals[c], (long) parts), largest[c]);
      most[c] = Math.max((long) (settings.balance() * totals[c] / parts), least);
    }
    return most;
  }
}
