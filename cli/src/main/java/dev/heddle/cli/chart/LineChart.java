package dev.heddle.cli.chart;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Curves over one axis, as SVG.
 *
 * @param across what the horizontal axis shows
 * @param logarithmic whether the vertical axis is, where all values are positive
 */
public record LineChart(
    String title, String across, String up, List<Curve> curves, boolean logarithmic) {
  private static final int WIDTH = 640;
  private static final int PLOT = 250;
  private static final int LEFT = 62;
  private static final int RIGHT = 16;
  private static final int TOP = 30;
  private static final int LINE = 17;
  private static final int LEGENDS = 2;

  public LineChart {
    curves = List.copyOf(curves);
  }

  /** A picture for a page whose style is {@link ChartStyle#css}. */
  public String svg() {
    return svg("");
  }

  /** A file of its own. */
  public String file() {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        + svg("<style>" + ChartStyle.css() + "</style>\n");
  }

  private String svg(String style) {
    int height = TOP + PLOT + 44 + LINE * ((curves.size() + LEGENDS - 1) / LEGENDS);
    Axis horizontal = Axis.of(values(Curve.Point::x), /* logarithmic= */ false);
    Axis vertical = Axis.of(values(Curve.Point::y), logarithmic);
    StringBuilder svg = new StringBuilder();
    svg.append("<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"");
    svg.append("0 0 " + WIDTH + " " + height + "\" width=\"" + WIDTH + "\" height=\"" + height);
    svg.append("\" aria-label=\"" + Markup.escaped(title) + "\">\n").append(style);
    text(svg, LEFT, 18, "start", "class=\"title\"", title);
    grid(svg, horizontal, vertical);
    for (int i = 0; i < curves.size(); i++) {
      curve(svg, i, horizontal, vertical);
      legend(svg, i);
    }
    return svg.append("</svg>\n").toString();
  }

  private double[] values(ToDoubleFunction<Curve.Point> direction) {
    return curves.stream()
        .flatMap(curve -> curve.points().stream())
        .mapToDouble(direction)
        .toArray();
  }

  private static double x(Axis axis, double value) {
    return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT);
  }

  private static double y(Axis axis, double value) {
    return TOP + PLOT - axis.share(value) * PLOT;
  }

  private void grid(StringBuilder svg, Axis horizontal, Axis vertical) {
    for (double value : vertical.lines()) {
      double y = y(vertical, value);
      line(svg, LEFT, y, WIDTH - RIGHT, y);
      text(svg, LEFT - 6, y + 4, "end", "", Axis.label(value));
    }
    for (double value : horizontal.lines()) {
      double x = x(horizontal, value);
      line(svg, x, TOP, x, TOP + PLOT);
      text(svg, x, TOP + PLOT + 16, "middle", "", Axis.label(value));
    }
    svg.append("<path class=\"axis\" d=\"M" + LEFT + " " + TOP + "v" + PLOT + "h");
    svg.append((WIDTH - LEFT - RIGHT) + "\"/>\n");
    text(svg, WIDTH - RIGHT, TOP + PLOT + 32, "end", "", across);
    String scale = vertical.logarithmic() ? up + " (logarithmic)" : up;
    text(svg, LEFT, TOP + PLOT + 32, "start", "", "↑ " + scale);
  }

  private void curve(StringBuilder svg, int number, Axis horizontal, Axis vertical) {
    List<Curve.Point> points = curves.get(number).points();
    if (points.isEmpty()) {
      return;
    }
    svg.append("<path ").append(ChartStyle.curve(number)).append(" d=\"");
    char command = 'M';
    for (Curve.Point point : points) {
      svg.append(command);
      svg.append(format(x(horizontal, point.x()))).append(' ');
      svg.append(format(y(vertical, point.y())));
      command = 'L';
    }
    // A single point is a line that goes nowhere, which round ends would show; so this does.
    svg.append(points.size() == 1 ? "h3" : "").append("\"/>\n");
  }

  private void legend(StringBuilder svg, int number) {
    double column = (WIDTH - LEFT - RIGHT) / (double) LEGENDS;
    double x = LEFT + number % LEGENDS * column;
    int row = number / LEGENDS;
    double y = TOP + PLOT + 52 + (double) LINE * row;
    svg.append("<path ").append(ChartStyle.curve(number)).append(" d=\"M");
    svg.append(format(x)).append(' ').append(format(y - 4)).append("h22\"/>\n");
    text(svg, x + 28, y, "start", "", curves.get(number).name());
  }

  private static void line(StringBuilder svg, double x, double y, double toX, double toY) {
    svg.append("<path class=\"grid\" d=\"M");
    svg.append(format(x)).append(' ').append(format(y)).append('L');
    svg.append(format(toX)).append(' ').append(format(toY)).append("\"/>\n");
  }

  private static void text(
      StringBuilder svg, double x, double y, String anchor, String more, String said) {
    svg.append("<text x=\"").append(format(x)).append("\" y=\"").append(format(y));
    svg.append("\" text-anchor=\"").append(anchor).append("\" ").append(more).append('>');
    svg.append(Markup.escaped(said)).append("</text>\n");
  }

  private static String format(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
