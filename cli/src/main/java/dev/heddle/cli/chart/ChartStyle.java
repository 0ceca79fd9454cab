package dev.heddle.cli.chart;

import java.util.List;

/**
 * How charts look, in light and in dark: eight colours that are told apart by most who see few of
 * them (Okabe and Ito's, black replaced), and dashes that tell more curves than that apart.
 */
public final class ChartStyle {
  private static final List<String> LIGHT =
      List.of(
          "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#3f3f3f", "#2a8fc7", "#b2182b");
  private static final List<String> DARK =
      List.of(
          "#56b4e9", "#f0884a", "#3fc79a", "#e39cc5", "#e6c84f", "#d0d0d0", "#9ad1f5", "#ff7b7b");
  private static final List<String> DASHES = List.of("", "6 3", "2 3", "8 3 2 3");

  private ChartStyle() {}

  /** Rules for a style element, once for all charts of a page. */
  public static String css() {
    StringBuilder css = new StringBuilder();
    css.append(".chart{font:12px system-ui,sans-serif;max-width:100%;height:auto}\n");
    css.append(".chart text{fill:#333}.chart .title{font-weight:600;font-size:13px}\n");
    css.append(".chart .grid{stroke:#ddd}.chart .axis{stroke:#888;fill:none}\n");
    css.append(".chart .curve{fill:none;stroke-width:1.6}\n");
    colours(css, LIGHT);
    css.append("@media (prefers-color-scheme:dark){\n");
    css.append(".chart text{fill:#ccc}.chart .grid{stroke:#3a3a3a}.chart .axis{stroke:#888}\n");
    colours(css, DARK);
    css.append("}\n");
    return css.toString();
  }

  private static void colours(StringBuilder css, List<String> colours) {
    for (int i = 0; i < colours.size(); i++) {
      css.append(".chart .c").append(i).append("{stroke:").append(colours.get(i)).append("}\n");
    }
  }

  /** Attributes of the curve of a number. */
  static String curve(int number) {
    String dashes = DASHES.get(number / LIGHT.size() % DASHES.size());
    return "class=\"curve c"
        + number % LIGHT.size()
        + "\""
        + (dashes.isEmpty() ? "" : " stroke-dasharray=\"" + dashes + "\"");
  }
}
