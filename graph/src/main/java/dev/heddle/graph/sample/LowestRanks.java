package dev.heddle.graph.sample;

/** The lowest of many ranks, and whose they are: a heap whose top is the highest of those kept. */
final class LowestRanks {
  private double[] ranks = new double[64];
  private int[] indices = new int[64];
  private int most;
  private int count;

  /** Keeps so many from now on. */
  void begin(int kept) {
    most = kept;
    count = 0;
    if (ranks.length < kept) {
      ranks = new double[kept + kept / 4];
      indices = new int[kept + kept / 4];
    }
  }

  /** Keeps a rank if it is among the lowest so far. */
  void offer(double rank, int index) {
    if (count < most) {
      int at = count++;
      while (at > 0 && ranks[(at - 1) / 2] < rank) {
        put(at, ranks[(at - 1) / 2], indices[(at - 1) / 2]);
        at = (at - 1) / 2;
      }
      put(at, rank, index);
    } else if (most > 0 && rank < ranks[0]) {
      sink(rank, index, count);
    }
  }

  /** Puts the kept ones in order, the lowest first. */
  void sort() {
    for (int end = count - 1; end > 0; end--) {
      double rank = ranks[end];
      int index = indices[end];
      put(end, ranks[0], indices[0]);
      sink(rank, index, end);
    }
  }

  /** Puts a rank in the place of the highest of the first {@code size}. */
  private void sink(double rank, int index, int size) {
    int at = 0;
    for (int child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && ranks[child + 1] > ranks[child]) {
        child++;
      }
      if (ranks[child] <= rank) {
        break;
      }
      put(at, ranks[child], indices[child]);
      at = child;
    }
    put(at, rank, index);
  }

  private void put(int at, double rank, int index) {
    ranks[at] = rank;
    indices[at] = index;
  }

  int count() {
    return count;
  }

  /** Whose rank is so many places from the lowest, once they are in order. */
  int index(int place) {
    return indices[place];
  }
}
