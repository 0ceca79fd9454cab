package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Transpose;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;

/**
 * The neighbours of a vertex whichever way arcs go, each once and without the vertex itself, in
 * rising order. For one thread; it has a buffer.
 */
final class Neighbours {
  private final Csr in;
  private final Csr out;
  private int[] ids = new int[64];
  private int count;

  private Neighbours(Csr in, Csr out) {
    this.in = in;
    this.out = out;
  }

  /** Those in a graph; arcs by source that are not there yet are made in {@code memory}. */
  static Neighbours in(Graph graph, Memory memory) {
    Csr out = graph.out();
    return new Neighbours(graph.in(), out == null ? Transpose.of(memory, graph.in()) : out);
  }

  /** A view of these neighbours for another thread. */
  Neighbours copy() {
    return new Neighbours(in, out);
  }

  int vertices() {
    return in.rows();
  }

  /** Finds the neighbours of a vertex; {@link #id} gives them until the next call. */
  int find(int v) {
    count = 0;
    long a = in.offset(v);
    long endA = in.offset(v + 1);
    boolean symmetric = in == out;
    long b = symmetric ? 0 : out.offset(v);
    long endB = symmetric ? 0 : out.offset(v + 1);
    reserve(endA - a + endB - b);
    int last = v;
    while (a < endA || b < endB) {
      int idA = a < endA ? in.id(a) : Integer.MAX_VALUE;
      int idB = b < endB ? out.id(b) : Integer.MAX_VALUE;
      int id = Math.min(idA, idB);
      a += idA == id ? 1 : 0;
      b += idB == id ? 1 : 0;
      if (id != v && id != last) {
        ids[count++] = id;
        last = id;
      }
    }
    return count;
  }

  /** How many neighbours a range of vertices has at most, together. */
  int most(int first, int end) {
    long arcs = in.offset(end) - in.offset(first);
    return Math.toIntExact(in == out ? arcs : arcs + out.offset(end) - out.offset(first));
  }

  private void reserve(long most) {
    if (most > ids.length) {
      ids = new int[Math.toIntExact(Math.max(most, 2L * ids.length))];
    }
  }

  int id(int i) {
    return ids[i];
  }

  /** Copies the neighbours found last. */
  void copyTo(int[] target, int at) {
    System.arraycopy(ids, 0, target, at, count);
  }
}
