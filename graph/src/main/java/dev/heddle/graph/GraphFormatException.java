package dev.heddle.graph;

import java.util.regex.Pattern;

/**
 * A file of a graph is missing or wrong; the message is one line that says which, where and how.
 */
public final class GraphFormatException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What files may hold and would break a line or a terminal. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

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
    return UNPRINTABLE.matcher(file + ": " + fault).replaceAll("?");
  }
}
