package dev.heddle.graph.partition;

import java.util.Arrays;

/**
 * Sums of weights by key, for one vertex after another: how strongly it is tied to each cluster or
 * part around it.
 *
 * <p>An open-addressing table that is as small as the vertex's degree allows, so that it stays in
 * the nearest cache however many keys there are. Few keys in all are their own slots.
 */
final class Ratings {
  private static final int NONE = -1;
  private static final int GOLDEN = 0x9E3779B9;

  /** As many keys as are looked up directly: the table then takes 64 KB. */
  private static final int DIRECT = 1 << 13;

  private final boolean direct;
  private int[] keys;
  private int[] sums;
  private int[] slots = new int[16];
  private int count;
  private int shift;
  private int mask;

  /** For keys from 0 to {@code universe} − 1. */
  Ratings(int universe) {
    direct = universe <= DIRECT;
    int size = direct ? Math.max(universe, 1) : 64;
    keys = new int[size];
    sums = new int[size];
    Arrays.setAll(keys, key -> direct ? key : NONE);
  }

  /** Forgets the last vertex; {@code degree} is how many times the next one adds at most. */
  void begin(int degree) {
    for (int i = 0; i < count; i++) {
      int slot = slots[i];
      sums[slot] = 0;
      keys[slot] = direct ? slot : NONE;
    }
    count = 0;
    if (slots.length <= degree) {
      slots = new int[Math.max(degree + 1, 2 * slots.length)];
    }
    if (direct) {
      return;
    }
    int bits = Math.clamp(33 - Integer.numberOfLeadingZeros(degree), 4, 30);
    if (keys.length < 1 << bits) {
      keys = new int[1 << bits];
      sums = new int[1 << bits];
      Arrays.fill(keys, NONE);
    }
    shift = 32 - bits;
    mask = (1 << bits) - 1;
  }

  /** Adds a weight of at least 1. */
  void add(int key, int weight) {
    int slot = slot(key);
    int sum = sums[slot];
    keys[slot] = key;
    sums[slot] = sum + weight;
    // Whether a key is new cannot be foreseen: a number that is counted or not, and no branch.
    slots[count] = slot;
    count += sum == 0 ? 1 : 0;
  }

  /** Adds the weights of all arcs of a vertex under the labels of the vertices they lead to. */
  void addAll(LevelGraph graph, int v, int[] labels) {
    int begin = graph.offsets[v];
    int end = graph.offsets[v + 1];
    if (!direct) {
      for (int arc = begin; arc < end; arc++) {
        add(labels[graph.ids[arc]], graph.weight(arc));
      }
      return;
    }
    // A key is its own slot; the number of keys does not go through memory.
    int seen = count;
    for (int arc = begin; arc < end; arc++) {
      int slot = labels[graph.ids[arc]];
      int sum = sums[slot];
      sums[slot] = sum + graph.weight(arc);
      slots[seen] = slot;
      seen += sum == 0 ? 1 : 0;
    }
    count = seen;
  }

  private int slot(int key) {
    if (direct) {
      return key;
    }
    int slot = (key * GOLDEN) >>> shift;
    while (keys[slot] != key && keys[slot] != NONE) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Different keys so far, in the order in which they came. */
  int count() {
    return count;
  }

  int key(int i) {
    return keys[slots[i]];
  }

  int sum(int i) {
    return sums[slots[i]];
  }

  /** The sum of a key; 0 if it did not occur. */
  int sumOf(int key) {
    return sums[slot(key)];
  }
}
