package dev.heddle.graph.partition;

import java.util.Arrays;

/** Which part every vertex of a graph belongs to. Parts are numbered from 0; some may be empty. */
public final class Partition {
  private final int parts;
  private final int vertices;

  /** The part of each vertex; empty where there is one part, to which all belong. */
  private final int[] partOf;

  private Partition(int parts, int vertices, int[] partOf) {
    this.parts = parts;
    this.vertices = vertices;
    this.partOf = partOf;
  }

  /** All vertices in one part, which takes no memory. */
  public static Partition whole(int vertices) {
    return new Partition(1, vertices, new int[0]);
  }

  /** The partition in which vertex {@code v} is in part {@code partOf[v]}. */
  public static Partition of(int parts, int[] partOf) {
    if (parts < 1) {
      throw new IllegalArgumentException("parts must be at least 1, not " + parts);
    }
    for (int v = 0; v < partOf.length; v++) {
      if (partOf[v] < 0 || partOf[v] >= parts) {
        throw new IllegalArgumentException(
            "vertex " + v + " is in part " + partOf[v] + " of " + parts);
      }
    }
    return parts == 1 ? whole(partOf.length) : new Partition(parts, partOf.length, partOf);
  }

  public int parts() {
    return parts;
  }

  public int vertices() {
    return vertices;
  }

  public int partOf(int vertex) {
    return parts == 1 ? 0 : partOf[vertex];
  }

  /** The vertices of a part, ascending. */
  public int[] members(int part) {
    int[] members = new int[vertices];
    int count = 0;
    for (int v = 0; v < vertices; v++) {
      if (partOf(v) == part) {
        members[count++] = v;
      }
    }
    return Arrays.copyOf(members, count);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Partition p
        && p.parts == parts
        && p.vertices == vertices
        && Arrays.equals(p.partOf, partOf);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(partOf) + parts) + vertices;
  }

  @Override
  public String toString() {
    return "Partition[" + vertices + " vertices in " + parts + " parts]";
  }
}
