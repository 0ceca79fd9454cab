package dev.heddle.nn;

import java.util.List;

/**
 * What a weight file's header says of one tensor.
 *
 * @param shape sizes of its dimensions, none for a single value
 * @param begin where its bytes begin, counted from the end of the header
 */
public record TensorEntry(TensorType type, List<Long> shape, long begin) {
  public TensorEntry {
    shape = List.copyOf(shape);
  }

  /** How many values it has; throws {@link ArithmeticException} beyond 2^63. */
  public long count() {
    long count = 1;
    for (long size : shape) {
      count = Math.multiplyExact(count, size);
    }
    return count;
  }

  public long bytes() {
    return Math.multiplyExact(count(), (long) type.bytes());
  }

  public long end() {
    return Math.addExact(begin, bytes());
  }
}
