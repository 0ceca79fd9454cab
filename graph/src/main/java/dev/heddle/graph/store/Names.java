package dev.heddle.graph.store;

/** What the arrays of a store are called; their files are called the same. */
public final class Names {
  /** Arcs by destination: {@link #OFFSETS}, {@link #IDS} and perhaps {@link #WEIGHTS} follow. */
  public static final String IN = "in";

  /** Arcs by source. */
  public static final String OUT = "out";

  /** Dense features, or sparse ones by row. */
  public static final String FEATURES = "features";

  /** Sparse features by column. */
  public static final String COLUMNS = "features.columns";

  public static final String OFFSETS = ".offsets";
  public static final String IDS = ".ids";

  /** Weights of arcs, values of features. */
  public static final String WEIGHTS = ".weights";

  /** Types of arcs by destination. */
  public static final String TYPES = ".types";

  /** Times of arcs by destination: seconds since 1970. */
  public static final String TIMES = ".times";

  public static final String LABELS = "labels";
  public static final String TRAIN = "train";
  public static final String VALID = "valid";
  public static final String TEST = "test";

  /** What the user calls the vertices: numbers, or with {@link #OFFSETS} the bytes of text. */
  public static final String USER_IDS = "ids";

  /** The vertices in the order of what the user calls them. */
  public static final String SORTED = ".sorted";

  /** Partitions: the number of parts follows. */
  public static final String PARTITION = "partition.";

  private Names() {}

  public static String split(int number, String part) {
    return "split." + number + "." + part;
  }
}
