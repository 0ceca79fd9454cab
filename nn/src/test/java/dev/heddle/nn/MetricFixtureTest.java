package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.kernel.Matrix;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every metric against the fixtures. */
class MetricFixtureTest {
  @Test
  void metricsOfClasses() {
    try (Fixture f = Fixture.open("metrics_classes")) {
      ClassLabels labels = ClassLabels.of(f.memory(), f.ints("targets"), 3);
      int[] rows = f.ints("rows");
      assertMetric(f, "accuracy", "accuracy", labels, rows);
      assertMetric(f, "f1-micro", "micro_f1", labels, rows);
      assertMetric(f, "f1-macro", "macro_f1", labels, rows);
    }
  }

  @Test
  void metricsOfLabels() {
    try (Fixture f = Fixture.open("metrics_labels")) {
      MultiLabels labels = new MultiLabels(f.matrix("targets"));
      int[] rows = f.ints("rows");
      assertMetric(f, "f1-micro", "micro_f1", labels, rows);
      assertMetric(f, "f1-macro", "macro_f1", labels, rows);
    }
  }

  @Test
  void areaUnderTheCurve() {
    try (Fixture f = Fixture.open("metrics_auc")) {
      Matrix logits = f.matrix("logits");
      Matrix targets = f.matrix("targets");
      int[] rows = IntStream.range(0, logits.rows()).toArray();
      assertMetric(f, "roc-auc", "roc_auc", new MultiLabels(targets), rows);
      Matrix areas = f.matrix("column_auc");
      for (int c = 0; c < areas.rows() * areas.cols(); c++) {
        var labels = new MultiLabels(column(f, targets, c));
        double area = Metric.named("roc-auc").evaluate(column(f, logits, c), labels, rows);
        float expected = areas.rows() == 1 ? areas.get(0, c) : areas.get(c, 0);
        assertThat(area).as("column %d", c).isCloseTo(expected, within(1e-7));
      }
    }
  }

  private static Matrix column(Fixture f, Matrix of, int column) {
    Matrix copy = Matrix.allocate(f.memory(), of.rows(), 1);
    for (int r = 0; r < of.rows(); r++) {
      copy.set(r, 0, of.get(r, column));
    }
    return copy;
  }

  private static void assertMetric(
      Fixture f, String metric, String tensor, Labels labels, int[] rows) {
    double actual = Metric.named(metric).evaluate(f.matrix("logits"), labels, rows);
    assertThat(actual).as(metric).isCloseTo(f.number(tensor), within(1e-7));
  }
}
