package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;

/**
 * Vertices, and the probability of each, as running sums: eight bytes a vertex, and a draw is a
 * binary search. The probability that is reckoned with is the very stretch that is searched.
 */
final class Distribution {
  private final GrowingBuffer sums;
  private final IntUnaryOperator vertices;
  private int size;
  private int positive;

  /**
   * Of no vertices yet.
   *
   * @param vertices the vertex of each index
   */
  Distribution(IntUnaryOperator vertices, Memory memory) {
    this.vertices = vertices;
    sums = new GrowingBuffer(memory);
  }

  /** Room for the worth of so many, to be written from the second double on. */
  MemorySegment begin(int count) {
    size = count;
    sums.require((count + 1L) * Double.BYTES);
    return sums.segment();
  }

  /** Makes probabilities of what each is worth. */
  void finish() {
    MemorySegment s = sums.segment();
    double sum = 0;
    positive = 0;
    s.setAtIndex(JAVA_DOUBLE, 0, 0);
    for (int i = 1; i <= size; i++) {
      double worth = s.getAtIndex(JAVA_DOUBLE, i);
      positive += worth > 0 ? 1 : 0;
      sum += worth;
      s.setAtIndex(JAVA_DOUBLE, i, sum);
    }
  }

  int size() {
    return size;
  }

  /** How many are worth anything. */
  int positive() {
    return positive;
  }

  int vertex(int index) {
    return vertices.applyAsInt(index);
  }

  private double sum(int index) {
    return sums.segment().getAtIndex(JAVA_DOUBLE, index);
  }

  double odds(int index) {
    return (sum(index + 1) - sum(index)) / sum(size);
  }

  /** Where a number from 0 to 1 falls. */
  int at(double unit) {
    double x = unit * sum(size);
    int low = 0;
    int high = size;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (sum(middle) <= x) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
