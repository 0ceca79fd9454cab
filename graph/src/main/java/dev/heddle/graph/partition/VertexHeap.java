package dev.heddle.graph.partition;

import java.util.Arrays;

/** A binary heap of vertices with the largest gain on top, in which gains can change. */
final class VertexHeap {
  private static final int ABSENT = -1;

  private final int[] places;
  private int[] heap = new int[64];
  private int[] gains = new int[64];
  private int size;

  /** For vertices from 0 to {@code vertices} − 1. */
  VertexHeap(int vertices) {
    places = new int[vertices];
    Arrays.fill(places, ABSENT);
  }

  boolean isEmpty() {
    return size == 0;
  }

  boolean contains(int v) {
    return places[v] != ABSENT;
  }

  /** The vertex with the largest gain. */
  int top() {
    return heap[0];
  }

  int topGain() {
    return gains[0];
  }

  int gain(int v) {
    return gains[places[v]];
  }

  void clear() {
    for (int i = 0; i < size; i++) {
      places[heap[i]] = ABSENT;
    }
    size = 0;
  }

  /** Puts a vertex in, or changes its gain. */
  void put(int v, int gain) {
    int place = places[v];
    if (place == ABSENT) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
        gains = Arrays.copyOf(gains, 2 * size);
      }
      rise(size++, v, gain);
    } else if (gain > gains[place]) {
      rise(place, v, gain);
    } else if (gain < gains[place]) {
      sink(place, v, gain);
    }
  }

  void remove(int v) {
    int place = places[v];
    if (place == ABSENT) {
      return;
    }
    places[v] = ABSENT;
    int last = heap[--size];
    int gain = gains[size];
    if (place < size) {
      if (gain > gains[place]) {
        rise(place, last, gain);
      } else {
        sink(place, last, gain);
      }
    }
  }

  /** Takes out the vertex with the largest gain. */
  int pop() {
    int top = heap[0];
    remove(top);
    return top;
  }

  private void rise(int place, int v, int gain) {
    while (place > 0) {
      int parent = (place - 1) >>> 1;
      if (gains[parent] > gain) {
        break;
      }
      set(place, heap[parent], gains[parent]);
      place = parent;
    }
    set(place, v, gain);
  }

  private void sink(int place, int v, int gain) {
    while (true) {
      int child = 2 * place + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && gains[child + 1] > gains[child]) {
        child++;
      }
      if (gains[child] <= gain) {
        break;
      }
      set(place, heap[child], gains[child]);
      place = child;
    }
    set(place, v, gain);
  }

  private void set(int place, int v, int gain) {
    heap[place] = v;
    gains[place] = gain;
    places[v] = place;
  }
}
