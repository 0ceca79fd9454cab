package dev.heddle.graph.partition;

import java.util.Arrays;

/** A list of numbers that grows. */
final class IntList {
  private int[] values = new int[64];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int get(int i) {
    return values[i];
  }

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }
}
