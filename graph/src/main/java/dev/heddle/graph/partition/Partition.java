package dev.heddle.graph.partition;

import java.util.Arrays;

/** Which part every vertex of a graph belongs to. Parts are numbered from 0; some may be empty. */
public final class Partition {
  private final int parts;
  private final int[] partOf;

  private Partition(int parts, int[] partOf) {
    this.parts = parts;
    this.partOf = partOf;
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
    return new Partition(parts, partOf);
  }

  public int parts() {
    return parts;
  }

  public int vertices() {
    return partOf.length;
  }

  public int partOf(int vertex) {
    return partOf[vertex];
  }

  /** The vertices of a part, ascending. */
  public int[] members(int part) {
    int[] members = new int[partOf.length];
    int count = 0;
    for (int v = 0; v < partOf.length; v++) {
      if (partOf[v] == part) {
        members[count++] = v;
      }
    }
    return Arrays.copyOf(members, count);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Partition p && p.parts == parts && Arrays.equals(p.partOf, partOf);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(partOf) + parts;
  }

  @Override
  public String toString() {
    return "Partition[" + vertices() + " vertices in " + parts + " parts]";
  }
}
