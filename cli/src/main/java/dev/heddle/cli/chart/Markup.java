package dev.heddle.cli.chart;

/** Text in HTML and SVG: whatever a graph or a folder is called, it stays text. */
public final class Markup {
  private Markup() {}

  /** Text as the content of an element, or as the value of an attribute in double quotes. */
  public static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .forEach(point -> {
          switch (point) {
            case '&' -> out.append("&amp;");
            case '<' -> out.append("&lt;");
            case '>' -> out.append("&gt;");
            case '"' -> out.append("&quot;");
            case '\'' -> out.append("&#39;");
            // Neither HTML nor XML has other control characters, nor halves of pairs.
            case '\t', '\n' -> out.append(' ');
            default ->
                out.appendCodePoint(
                    Character.isISOControl(point) || isNoCharacter(point) ? 0xFFFD : point);
          }
        });
    return out.toString();
  }

  private static boolean isNoCharacter(int point) {
    return (point >= 0xD800 && point <= 0xDFFF) || (point & 0xFFFE) == 0xFFFE;
  }
}
