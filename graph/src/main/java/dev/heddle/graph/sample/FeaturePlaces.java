package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Where one of several workers finds the features of each vertex: in a row of its own part, in a
 * row of its cache, or at another worker.
 */
public final class FeaturePlaces {
  private final MemorySegment places;
  private final int vertices;
  private final int workers;
  private final int own;

  private FeaturePlaces(GraphPart part, Partition owners, Memory memory) {
    vertices = owners.vertices();
    workers = owners.parts();
    own = part.vertices();
    places = memory.allocateInts(vertices);
    for (int v = 0; v < vertices; v++) {
      places.setAtIndex(JAVA_INT, v, ~owners.partOf(v));
    }
    for (int row = 0; row < own; row++) {
      places.setAtIndex(JAVA_INT, part.vertex(row), row);
    }
  }

  public static FeaturePlaces of(GraphPart part, Partition owners, Memory memory) {
    return new FeaturePlaces(part, owners, memory);
  }

  /** From now on a vertex of another worker is found in a row of the cache. */
  public void cache(int vertex, int row) {
    places.setAtIndex(JAVA_INT, vertex, own + row);
  }

  /** Vertices of the whole graph. */
  public int vertices() {
    return vertices;
  }

  /** Kinds of places: the part, the cache, and each worker. */
  int kinds() {
    return 2 + workers;
  }

  int kind(int vertex) {
    int place = places.getAtIndex(JAVA_INT, vertex);
    return place < 0 ? 2 + ~place : place < own ? 0 : 1;
  }

  /** The row of the part or of the cache. */
  int row(int vertex) {
    int place = places.getAtIndex(JAVA_INT, vertex);
    return place < own ? place : place - own;
  }
}
