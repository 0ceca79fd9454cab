package dev.heddle.graph;

import java.util.regex.Pattern;

/**
 * Text from files as it may be shown: on one line, without what steers a terminal, not too long.
 */
public final class Shown {
  /** Control characters, separators of lines, and what changes the direction of writing. */
  private static final Pattern UNPRINTABLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\p{Cn}]");

  /** A field of a file: more would hide the sentence that it stands in. */
  private static final int LONGEST_FIELD = 80;

  private static final int LONGEST_LINE = 1000;

  private Shown() {}

  /** A field of a file. */
  public static String field(String text) {
    return cut(text, LONGEST_FIELD);
  }

  /** A whole line that fields of files may be part of. */
  public static String line(String text) {
    return cut(text, LONGEST_LINE);
  }

  private static String cut(String text, int most) {
    boolean longer = text.length() > most;
    String some = longer ? text.substring(0, most) : text;
    String clean = UNPRINTABLE.matcher(some).replaceAll("?");
    return longer ? clean + "… (" + text.length() + " characters)" : clean;
  }
}
