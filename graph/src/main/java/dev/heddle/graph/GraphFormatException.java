package dev.heddle.graph;

/**
 * A file of a graph is missing or wrong; the message is one line that says which, where and how.
 */
public final class GraphFormatException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * A fault in a file.
   *
   * @param file the file, with the line if it has lines: {@code edges.csv.gz, line 7}
   */
  public GraphFormatException(Object file, String fault) {
    super(line(file, fault));
  }

  /** A fault of a file, with what the system said about it. */
  public GraphFormatException(Object file, String fault, Throwable cause) {
    super(line(file, fault), cause);
  }

  private static String line(Object file, String fault) {
    return Shown.line(file + ": " + fault);
  }
}
