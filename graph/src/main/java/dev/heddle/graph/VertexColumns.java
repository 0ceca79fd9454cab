package dev.heddle.graph;

import java.util.Set;

/**
 * What the columns of a table of vertices are called; all that are not named here are features.
 *
 * @param id must be there
 * @param label of a class, by number or name, or empty; need not be there
 * @param split {@code train}, {@code valid}, {@code test} or empty; need not be there
 * @param skipped no features either
 */
public record VertexColumns(String id, String label, String split, Set<String> skipped) {
  public static final VertexColumns DEFAULT = new VertexColumns("id", "label", "split", Set.of());

  public VertexColumns {
    skipped = Set.copyOf(skipped);
  }
}
