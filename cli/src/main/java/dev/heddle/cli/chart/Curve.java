package dev.heddle.cli.chart;

import java.util.ArrayList;
import java.util.List;

/** A named line through points, in the order of its points. */
public record Curve(String name, List<Point> points) {
  /** Where a curve goes through. */
  public record Point(double x, double y) {
    boolean drawable() {
      return Double.isFinite(x) && Double.isFinite(y);
    }
  }

  /** More than a chart has columns of pixels for would only make the file larger. */
  private static final int MOST = 400;

  public Curve {
    points = thinned(points.stream().filter(Point::drawable).toList());
  }

  /** Equally many between those that stay, and the last. */
  private static List<Point> thinned(List<Point> points) {
    if (points.size() <= MOST) {
      return List.copyOf(points);
    }
    List<Point> some = new ArrayList<>(MOST);
    for (int i = 0; i < MOST; i++) {
      some.add(points.get((int) ((long) i * (points.size() - 1) / (MOST - 1))));
    }
    return List.copyOf(some);
  }
}
