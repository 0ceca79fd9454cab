package dev.heddle.train.pipeline;

import java.util.Arrays;

/** How long something took the last few times; adding and asking allocate nothing. */
final class RecentTimes {
  private static final int KEPT = 64;

  private final long[] nanos = new long[KEPT];
  private final long[] sorted = new long[KEPT];
  private int count;
  private int next;

  void add(long time) {
    nanos[next] = time;
    next = (next + 1) % KEPT;
    count = Math.min(KEPT, count + 1);
  }

  /** The time that 95 % of the last ones do not exceed; 0 where there are none. */
  long p95() {
    if (count == 0) {
      return 0;
    }
    System.arraycopy(nanos, 0, sorted, 0, count);
    Arrays.sort(sorted, 0, count);
    return sorted[Math.min(count - 1, count * 95 / 100)];
  }
}
