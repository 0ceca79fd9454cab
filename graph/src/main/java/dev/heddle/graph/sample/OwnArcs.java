package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PagedArcs;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The in-arcs that a worker can draw from: those of its own vertices, or of all. Vertices have
 * their numbers in the whole graph; so draws, which depend on numbers of vertices and on the order
 * of their arcs, are the same for any number of workers.
 *
 * @param in arcs by destination, a row for every vertex of the graph
 * @param owners the worker of each vertex
 * @param worker this one
 * @param extent whose arcs are here
 */
public record OwnArcs(Csr in, Partition owners, int worker, Extent extent) {
  /** Which arcs there are. */
  public enum Extent {
    /** Those of the worker's own vertices; the rows of others are empty. */
    OWN,

    /** The whole graph's where it has them, in files perhaps; others' than own are not read. */
    IN_PLACE,

    /** Those of all vertices. */
    EVERYTHING
  }

  /** The arcs of all vertices, which belong to the only worker. */
  public static OwnArcs whole(Csr in) {
    return everything(in, Partition.whole(in.rows()), 0);
  }

  /** The arcs of all vertices, where the structure of the graph is at every worker. */
  public static OwnArcs everything(Csr in, Partition owners, int worker) {
    return new OwnArcs(in, owners, worker, Extent.EVERYTHING);
  }

  /**
   * The arcs of a worker's vertices where the graph has them; others' are there too, and nobody
   * reads them.
   */
  public static OwnArcs inPlace(Csr in, Partition owners, int worker) {
    return new OwnArcs(in, owners, worker, Extent.IN_PLACE);
  }

  /** A copy of the arcs of a worker's vertices; of a mapped graph, no others are read. */
  public static OwnArcs of(Csr whole, Partition owners, int worker, Memory memory) {
    int n = whole.rows();
    MemorySegment offsets = memory.allocateLongs(n + 1L);
    long arcs = 0;
    for (int v = 0; v < n; v++) {
      arcs += owners.partOf(v) == worker ? whole.degree(v) : 0;
      offsets.setAtIndex(JAVA_LONG, v + 1L, arcs);
    }
    MemorySegment ids = memory.allocateInts(arcs);
    MemorySegment weights = whole.weights() == null ? null : memory.allocateFloats(arcs);
    for (int v = 0; v < n; v++) {
      if (owners.partOf(v) == worker) {
        long from = whole.offset(v);
        long to = offsets.getAtIndex(JAVA_LONG, v);
        long degree = whole.degree(v);
        MemorySegment.copy(whole.ids(), JAVA_INT, 4 * from, ids, JAVA_INT, 4 * to, degree);
        if (weights != null) {
          MemorySegment.copy(
              whole.weights(), JAVA_FLOAT, 4 * from, weights, JAVA_FLOAT, 4 * to, degree);
        }
      }
    }
    Csr in = Csr.of(n, whole.cols(), offsets, ids).withWeights(weights);
    return new OwnArcs(in, owners, worker, Extent.OWN);
  }

  /** Bytes of {@link #of}. */
  public static long bytes(Csr whole, Partition owners, int worker) {
    long arcs = 0;
    for (int v = 0; v < whole.rows(); v++) {
      arcs += owners.partOf(v) == worker ? whole.degree(v) : 0;
    }
    long each = whole.weights() == null ? 4 : 8;
    return Long.BYTES * (whole.rows() + 1L) + each * arcs;
  }

  /** Whether the arcs are those of all vertices. */
  public boolean everything() {
    return extent == Extent.EVERYTHING;
  }

  /** Whether a vertex's arcs are here. */
  boolean has(int vertex) {
    return extent == Extent.EVERYTHING || owners.partOf(vertex) == worker;
  }

  /** The arcs that are drawn from as pages of files, if they are these and used in place. */
  @Nullable PagedArcs paged(Csr drawn) {
    boolean these = drawn.ids().address() == in.ids().address();
    return these && extent == Extent.IN_PLACE ? PagedArcs.of(drawn) : null;
  }

  /** How many workers there are. */
  int workers() {
    return owners.parts();
  }
}
