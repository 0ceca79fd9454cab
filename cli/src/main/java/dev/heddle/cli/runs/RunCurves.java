package dev.heddle.cli.runs;

import dev.heddle.cli.chart.Curve;
import dev.heddle.cli.chart.Curve.Point;
import dev.heddle.cli.chart.LineChart;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How runs went, as curves. */
public final class RunCurves {
  /** What goes up or down. */
  public enum Value {
    LOSS,
    SCORE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What it is drawn over. */
  public enum Over {
    EPOCHS("epochs"),
    SECONDS("seconds of training"),
    MEGABYTES("MB sent for training, as many in each epoch as in the mean");

    private final String label;

    Over(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private RunCurves() {}

  /** One run. */
  public static Curve of(String name, RunRecord run, Value value, Over over) {
    return mean(name, List.of(run), value, over);
  }

  /**
   * The mean of runs that differ in their seeds. Where some ended sooner, the curve does; over
   * seconds and bytes, a point is where the runs are at its epoch in the mean.
   */
  public static Curve mean(String name, List<RunRecord> runs, Value value, Over over) {
    Map<Integer, double[]> sums = new TreeMap<>();
    for (RunRecord run : runs) {
      double seconds = 0;
      double megabytes = run.sent("bytes") / 1e6;
      for (EpochRecord epoch : run.epochs()) {
        seconds += epoch.seconds();
        double y = value == Value.LOSS ? epoch.loss() : epoch.valid();
        double x =
            switch (over) {
              case EPOCHS -> epoch.epoch();
              case SECONDS -> seconds;
              case MEGABYTES -> megabytes * epoch.epoch();
            };
        if (Double.isFinite(y)) {
          double[] sum = sums.computeIfAbsent(epoch.epoch(), _ -> new double[3]);
          sum[0] += x;
          sum[1] += y;
          sum[2]++;
        }
      }
    }
    List<Point> points = new ArrayList<>();
    for (double[] sum : sums.values()) {
      if (sum[2] == runs.size()) {
        points.add(new Point(sum[0] / sum[2], sum[1] / sum[2]));
      }
    }
    boolean nothingSent = over == Over.MEGABYTES && points.stream().allMatch(p -> p.x() == 0);
    return new Curve(name, nothingSent ? List.of() : points);
  }

  /** Curves of one kind beside each other. */
  public static LineChart chart(String metric, Value value, Over over, List<Curve> curves) {
    boolean loss = value == Value.LOSS;
    String what = loss ? "training loss" : "validation " + metric;
    String title = what + " over " + (over == Over.MEGABYTES ? "MB sent" : over.label);
    return new LineChart(title, over.label, what, curves, loss);
  }
}
