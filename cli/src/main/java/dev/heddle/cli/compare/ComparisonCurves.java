package dev.heddle.cli.compare;

import dev.heddle.cli.chart.Curve;
import dev.heddle.cli.chart.LineChart;
import dev.heddle.cli.runs.RunCurves;
import dev.heddle.cli.runs.RunCurves.Over;
import dev.heddle.cli.runs.RunCurves.Value;
import java.util.ArrayList;
import java.util.List;

/** The charts of a comparison: loss and score over epochs, seconds and bytes. */
final class ComparisonCurves {
  private ComparisonCurves() {}

  static List<LineChart> of(Comparison comparison) {
    List<LineChart> charts = new ArrayList<>();
    for (Over over : Over.values()) {
      for (Value value : Value.values()) {
        List<Curve> curves =
            comparison.whole().stream()
                .map(result -> RunCurves.mean(result.name(), result.runs(), value, over))
                .toList();
        if (curves.stream().anyMatch(curve -> curve.points().size() > 1)) {
          charts.add(RunCurves.chart(comparison.metric(), value, over, curves));
        }
      }
    }
    return charts;
  }
}
