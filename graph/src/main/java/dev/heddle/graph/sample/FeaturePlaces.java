package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/**
 * Where one of several workers finds the features of each vertex: in a row of its own part, in a
 * row of its cache, or at another worker.
 */
public final class FeaturePlaces {
  private final MemorySegment places;
  private final int vertices;
  private final int workers;
  private final int own;

  private FeaturePlaces(Partition owners, int ownRows, Memory memory) {
    vertices = owners.vertices();
    workers = owners.parts();
    own = ownRows;
    places = memory.allocateInts(vertices);
    for (int v = 0; v < vertices; v++) {
      places.setAtIndex(JAVA_INT, v, ~owners.partOf(v));
    }
  }

  /** Own features are the rows of a part. */
  public static FeaturePlaces of(GraphPart part, Partition owners, Memory memory) {
    return of(IntStream.range(0, part.vertices()).map(part::vertex).toArray(), owners, memory);
  }

  /** Own features are those of some vertices, a row each in their order. */
  public static FeaturePlaces of(int[] vertices, Partition owners, Memory memory) {
    FeaturePlaces made = new FeaturePlaces(owners, vertices.length, memory);
    for (int row = 0; row < vertices.length; row++) {
      made.places.setAtIndex(JAVA_INT, vertices[row], row);
    }
    return made;
  }

  /** Own features are rows of the whole graph's, found by the vertices' numbers. */
  public static FeaturePlaces inPlace(Partition owners, int worker, Memory memory) {
    FeaturePlaces made = new FeaturePlaces(owners, owners.vertices(), memory);
    for (int v = 0; v < made.vertices; v++) {
      if (owners.partOf(v) == worker) {
        made.places.setAtIndex(JAVA_INT, v, v);
      }
    }
    return made;
  }

  /** From now on a vertex of another worker is found in a row of the cache. */
  public void cache(int vertex, int row) {
    places.setAtIndex(JAVA_INT, vertex, own + row);
  }

  /** From now on a vertex is found again where it is in {@code origins}. */
  public void restore(int vertex, FeaturePlaces origins) {
    places.setAtIndex(JAVA_INT, vertex, origins.places.getAtIndex(JAVA_INT, vertex));
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

  /** The row of the own features or of the cache. */
  int row(int vertex) {
    int place = places.getAtIndex(JAVA_INT, vertex);
    return place < own ? place : place - own;
  }
}
