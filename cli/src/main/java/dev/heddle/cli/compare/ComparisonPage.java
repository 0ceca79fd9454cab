package dev.heddle.cli.compare;

import dev.heddle.cli.chart.ChartStyle;
import dev.heddle.cli.chart.LineChart;
import dev.heddle.cli.chart.Markup;
import java.util.Map;

/**
 * A comparison as one HTML file: tables and charts, in light and in dark. It has no scripts and
 * asks for nothing outside itself, and says so to the browser, which then allows neither.
 */
public final class ComparisonPage {
  private static final String CSS =
      """
      :root{color-scheme:light dark}
      body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:84rem;padding:0 1rem;
      background:#fff;color:#222}
      h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
      .scroll{overflow-x:auto}
      table{border-collapse:collapse;font-variant-numeric:tabular-nums}
      th,td{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:left}
      td.n{text-align:right;white-space:nowrap}
      .charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(34rem,100%),1fr));
      gap:1rem}
      .notes{max-width:60rem;color:#555}
      code{white-space:pre-wrap}
      @media (prefers-color-scheme:dark){
      body{background:#161616;color:#ddd}th,td{border-color:#3a3a3a}.notes{color:#aaa}}
      """;

  private ComparisonPage() {}

  public static String of(Comparison comparison) {
    ComparisonTables tables = new ComparisonTables(comparison);
    String title = "Variants on " + comparison.graph();
    StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
    page.append("<meta charset=\"utf-8\">\n");
    page.append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    page.append("style-src 'unsafe-inline'\">\n");
    page.append("<meta name=\"viewport\" content=\"width=device-width\">\n");
    page.append("<title>").append(Markup.escaped(title)).append("</title>\n");
    page.append("<style>\n").append(CSS).append(ChartStyle.css()).append("</style>\n");
    page.append("</head>\n<body>\n<main>\n");
    page.append("<h1>").append(Markup.escaped(title)).append("</h1>\n");
    page.append(tables.figures().html());
    page.append("<p class=\"notes\">").append(Markup.escaped(tables.notes())).append("</p>\n");
    page.append("<h2>Megabytes of an epoch by kind</h2>\n").append(tables.sent().html());
    page.append("<h2>Curves</h2>\n<p class=\"notes\">In the mean of seeds.</p>\n");
    page.append("<div class=\"charts\">\n");
    for (LineChart chart : ComparisonCurves.of(comparison)) {
      page.append(chart.svg());
    }
    page.append("</div>\n<h2>Settings</h2>\n");
    for (VariantResult result : comparison.results()) {
      page.append("<details><summary>").append(Markup.escaped(result.name()));
      page.append("</summary>\n<p><code>")
          .append(settings(result))
          .append("</code></p></details>\n");
    }
    return page.append("</main>\n</body>\n</html>\n").toString();
  }

  private static String settings(VariantResult result) {
    StringBuilder text = new StringBuilder("heddle train");
    for (Map.Entry<String, String> each : result.variant().settings().entrySet()) {
      text.append(" --").append(Markup.escaped(each.getKey())).append(' ');
      text.append(Markup.escaped(each.getValue()));
    }
    return text.toString();
  }
}
