package dev.heddle.comm;

import java.util.Arrays;

/** A few tags in order, the same one perhaps several times. Guarded by its owner. */
final class Tags {
  private long[] tags = new long[16];
  private int count;

  void add(long tag) {
    if (count == tags.length) {
      tags = Arrays.copyOf(tags, 2 * count);
    }
    tags[count++] = tag;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The oldest tag, taken out. */
  long poll() {
    long first = tags[0];
    System.arraycopy(tags, 1, tags, 0, --count);
    return first;
  }

  /** Takes out a tag, once; says whether it was there. */
  boolean remove(long tag) {
    for (int i = 0; i < count; i++) {
      if (tags[i] == tag) {
        System.arraycopy(tags, i + 1, tags, i, --count - i);
        return true;
      }
    }
    return false;
  }
}
