package dev.heddle.graph;

/** Sorts the numbers below n by what they stand for, without boxing any (merge sort). */
final class IndexSort {
  /** Which of two indices comes first: negative, zero or positive. */
  @FunctionalInterface
  interface Order {
    int compare(int a, int b);
  }

  private IndexSort() {}

  /** The indices in order; equal ones keep theirs. */
  static int[] of(int n, Order order) {
    int[] from = new int[n];
    int[] to = new int[n];
    for (int i = 0; i < n; i++) {
      from[i] = i;
    }
    for (long run = 1; run < n; run *= 2) {
      for (long begin = 0; begin < n; begin += 2 * run) {
        int middle = (int) Math.min(begin + run, n);
        int end = (int) Math.min(begin + 2 * run, n);
        merge(from, to, new int[] {(int) begin, middle, end}, order);
      }
      int[] sorted = to;
      to = from;
      from = sorted;
    }
    return from;
  }

  private static void merge(int[] from, int[] to, int[] bounds, Order order) {
    int left = bounds[0];
    int right = bounds[1];
    for (int i = bounds[0]; i < bounds[2]; i++) {
      boolean takeLeft =
          right >= bounds[2] || (left < bounds[1] && order.compare(from[left], from[right]) <= 0);
      to[i] = takeLeft ? from[left++] : from[right++];
    }
  }
}
