package dev.heddle.graph;

import java.util.Locale;

/** Where the features of a store are while they are used; those of a folder are in memory. */
public enum FeaturePlace {
  /** In the store's files, paged in as they are touched: they may exceed memory. */
  MAPPED,

  /**
   * Copied to memory, on huge pages where there are any, and incoming arcs with them: faster if
   * read often.
   */
  MEMORY;

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
