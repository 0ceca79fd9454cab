package dev.heddle.graph;

/**
 * What the user calls the vertices, and the way back. A graph without any calls them by their
 * numbers.
 */
public sealed interface VertexIds permits LongIds, StringIds {
  /** What {@link #find} returns where there is no such vertex. */
  int NONE = -1;

  /** Vertices. */
  int rows();

  /** The vertex whose name is number {@code rank} of all names in order. */
  int sortedAt(int rank);

  /** The user's name of a vertex. */
  String at(int vertex);

  /** The vertex of that name, or {@link #NONE}; takes time logarithmic in the vertices. */
  int find(String id);
}
