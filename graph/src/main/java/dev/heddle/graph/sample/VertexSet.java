package dev.heddle.graph.sample;

import java.util.Arrays;

/** A small set of vertices, numbered in the order they came. Every thread has one. */
final class VertexSet {
  private static final int FREE = -1;
  private static final ThreadLocal<VertexSet> OF_THREAD = ThreadLocal.withInitial(VertexSet::new);

  private int[] vertices = new int[64];
  private int[] table = new int[256];
  private int size;

  private VertexSet() {
    Arrays.fill(table, FREE);
  }

  /** The calling thread's, empty. */
  static VertexSet ofThread() {
    VertexSet set = OF_THREAD.get();
    set.clear();
    return set;
  }

  private void clear() {
    Arrays.fill(table, FREE);
    size = 0;
  }

  private int slot(int vertex) {
    int slot = ((vertex * 0x9E3779B9) >>> 7) & (table.length - 1);
    while (table[slot] != FREE && vertices[table[slot]] != vertex) {
      slot = (slot + 1) & (table.length - 1);
    }
    return slot;
  }

  /** Adds a vertex unless it is there. */
  void add(int vertex) {
    int slot = slot(vertex);
    if (table[slot] != FREE) {
      return;
    }
    if (size == vertices.length) {
      vertices = Arrays.copyOf(vertices, 2 * size);
      table = new int[4 * vertices.length];
      Arrays.fill(table, FREE);
      for (int i = 0; i < size; i++) {
        table[slot(vertices[i])] = i;
      }
      slot = slot(vertex);
    }
    table[slot] = size;
    vertices[size++] = vertex;
  }

  /** Which vertex of the set this is, or −1. */
  int indexOf(int vertex) {
    return table[slot(vertex)];
  }

  int size() {
    return size;
  }

  int vertex(int index) {
    return vertices[index];
  }
}
