package dev.heddle.graph.sample;

/**
 * The arcs of lowest rank among those of a row: a heap, the highest on top. One for each thread.
 */
final class RankedArcs {
  private static final ThreadLocal<RankedArcs> OF_THREAD = ThreadLocal.withInitial(RankedArcs::new);

  private double[] ranks = new double[64];
  private int[] positions = new int[64];
  private int size;
  private int most;

  private RankedArcs() {}

  /** The calling thread's, with room for all arcs of a row. */
  static RankedArcs ofThread(int degree) {
    RankedArcs arcs = OF_THREAD.get();
    if (degree >= arcs.ranks.length) {
      arcs.ranks = new double[degree + degree / 2];
      arcs.positions = new int[arcs.ranks.length];
    }
    return arcs;
  }

  /** Room for a number per arc, for whoever needs no heap. */
  double[] ranks() {
    return ranks;
  }

  /** Empties the heap, which from now on keeps so many. */
  void begin(int keep) {
    size = 0;
    most = keep;
  }

  void offer(double rank, int position) {
    if (size < most) {
      int at = size++;
      while (at > 0 && ranks[(at - 1) / 2] < rank) {
        move((at - 1) / 2, at);
        at = (at - 1) / 2;
      }
      set(at, rank, position);
    } else if (rank < ranks[0]) {
      sink(rank, position);
    }
  }

  /** Takes the highest rank out. */
  double removeHighest() {
    double highest = ranks[0];
    size--;
    if (size > 0) {
      sink(ranks[size], positions[size]);
    }
    return highest;
  }

  /** Puts an arc in the place of the highest. */
  private void sink(double rank, int position) {
    int at = 0;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && ranks[child + 1] > ranks[child]) {
        child++;
      }
      if (ranks[child] <= rank) {
        break;
      }
      move(child, at);
      at = child;
    }
    set(at, rank, position);
  }

  private void move(int from, int to) {
    set(to, ranks[from], positions[from]);
  }

  private void set(int at, double rank, int position) {
    ranks[at] = rank;
    positions[at] = position;
  }

  int size() {
    return size;
  }

  /** Where in its row an arc of the heap is. */
  int position(int index) {
    return positions[index];
  }
}
