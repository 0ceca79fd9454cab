package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricTest {
  private static final Metric ACCURACY = new Accuracy();
  private static final Metric MICRO = new F1(F1.Average.MICRO);
  private static final Metric MACRO = new F1(F1.Average.MACRO);
  private static final Metric AUC = new RocAuc();

  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  @Test
  void accuracyCountsOnlyTheRowsAsked() {
    Matrix scores = matrix(new float[][] {{2, 1, 0}, {0, 1, 1}, {-3, -2, -1}, {0, 0, 9}});
    ClassLabels labels = ClassLabels.of(memory, new int[] {0, 1, 0, 2}, 3);
    assertThat(ACCURACY.evaluate(scores, labels, new int[] {0, 1, 2, 3})).isEqualTo(0.75);
    assertThat(ACCURACY.evaluate(scores, labels, new int[] {2, 3})).isEqualTo(0.5);
    assertThat(ACCURACY.evaluate(scores, labels, new int[0])).isNaN();
  }

  @Test
  void oneColumnScoresClassOne() {
    Matrix scores = matrix(new float[][] {{2}, {-1}, {0}});
    ClassLabels labels = ClassLabels.of(memory, new int[] {1, 0, 1}, 2);
    assertThat(ACCURACY.evaluate(scores, labels, new int[] {0, 1, 2})).isEqualTo(2.0 / 3);
  }

  @Test
  void rowsThatAreNotNumbersAreWrong() {
    Matrix scores = matrix(new float[][] {{Float.NaN, 0}, {1, Float.NaN}, {1, 0}});
    ClassLabels labels = ClassLabels.of(memory, new int[] {0, 0, 0}, 2);
    int[] rows = {0, 1, 2};
    assertThat(ACCURACY.evaluate(scores, labels, rows)).isEqualTo(1.0 / 3);
    assertThat(MACRO.evaluate(scores, labels, rows)).isEqualTo(0.5);
    assertThat(AUC.evaluate(scores, labels, rows)).isNaN();
  }

  @Test
  void f1OfClassesIsTheMeanOverThoseThatOccur() {
    // Predicted 0 0 1 1 2 of actual 0 1 1 1 0; class 3 occurs nowhere.
    Matrix scores =
        matrix(
            new float[][] {{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
    ClassLabels labels = ClassLabels.of(memory, new int[] {0, 1, 1, 1, 0}, 4);
    int[] rows = {0, 1, 2, 3, 4};
    assertThat(MICRO.evaluate(scores, labels, rows)).isEqualTo(0.6);
    assertThat(MACRO.evaluate(scores, labels, rows)).isCloseTo((0.5 + 0.8 + 0) / 3, within(1e-15));
  }

  @Test
  void f1OfLabelsIsTheMeanOverAll() {
    Matrix scores = matrix(new float[][] {{1, -1, -1}, {1, 2, -1}, {-1, 1, -1}});
    var labels = new MultiLabels(matrix(new float[][] {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
    int[] rows = {0, 1, 2};
    // Label 0: tp 1, fp 1, fn 1; label 1: tp 2; label 2 never occurs.
    assertThat(MICRO.evaluate(scores, labels, rows)).isEqualTo(2.0 * 3 / (2 * 3 + 1 + 1));
    assertThat(MACRO.evaluate(scores, labels, rows)).isEqualTo((0.5 + 1 + 0) / 3);
    assertThat(MICRO.evaluate(scores, labels, new int[0])).isNaN();
  }

  @Test
  void microF1OfClassesIsAccuracy() {
    SplittableRandom random = TestSeed.random(this);
    int[] rows = new int[50];
    int[] classes = new int[rows.length];
    Matrix scores = Matrix.allocate(memory, rows.length, 5);
    for (int i = 0; i < rows.length; i++) {
      rows[i] = i;
      classes[i] = random.nextInt(5);
      for (int c = 0; c < 5; c++) {
        scores.set(i, c, random.nextInt(10));
      }
    }
    ClassLabels labels = ClassLabels.of(memory, classes, 5);
    assertThat(MICRO.evaluate(scores, labels, rows))
        .isEqualTo(ACCURACY.evaluate(scores, labels, rows));
  }

  @Test
  void areaIsTheShareOfPairsInOrder() {
    SplittableRandom random = TestSeed.random(this);
    for (int n = 2; n < 60; n++) {
      int[] rows = new int[n];
      int[] classes = new int[n];
      Matrix one = Matrix.allocate(memory, n, 1);
      Matrix two = Matrix.allocate(memory, n, 2);
      float[] score = new float[n];
      for (int i = 0; i < n; i++) {
        rows[i] = i;
        classes[i] = i < 2 ? i : random.nextInt(2);
        score[i] = random.nextInt(-5, 6) * 0.5f; // Few values, so that many are equal.
        one.set(i, 0, score[i]);
        two.set(i, 0, -0.5f * score[i]);
        two.set(i, 1, 0.5f * score[i]);
      }
      double wins = 0;
      double pairs = 0;
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          if (classes[i] == 1 && classes[j] == 0) {
            wins += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
            pairs++;
          }
        }
      }
      ClassLabels labels = ClassLabels.of(memory, classes, 2);
      assertThat(AUC.evaluate(one, labels, rows)).isCloseTo(wins / pairs, within(1e-14));
      assertThat(AUC.evaluate(two, labels, rows)).isCloseTo(wins / pairs, within(1e-14));
    }
  }

  @Test
  void negativeZeroEqualsZeroAndInfinitiesAreOrdered() {
    Matrix scores =
        matrix(
            new float[][] {
              {-0f}, {0f}, {Float.NEGATIVE_INFINITY}, {Float.POSITIVE_INFINITY}, {-Float.MIN_VALUE}
            });
    ClassLabels labels = ClassLabels.of(memory, new int[] {1, 0, 0, 1, 0}, 2);
    assertThat(AUC.evaluate(scores, labels, new int[] {0, 1, 2, 3, 4}))
        .isCloseTo(5.5 / 6, within(1e-15));
  }

  @Test
  void areaOfLabelsLeavesOutThoseOfOneKind() {
    Matrix scores = matrix(new float[][] {{1, 5, 3}, {2, 6, 2}, {3, 7, 1}});
    var labels = new MultiLabels(matrix(new float[][] {{0, 1, 0}, {0, 1, 1}, {1, 1, 0}}));
    int[] rows = {0, 1, 2};
    assertThat(AUC.evaluate(scores, labels, rows)).isEqualTo((1 + 0.5) / 2);
    assertThat(AUC.evaluate(scores, labels, new int[] {0})).isNaN();
  }

  @Test
  void squaredErrorIsAMeanOverRowsAndColumns() {
    Matrix scores = matrix(new float[][] {{1, 2}, {3, 4}, {100, 100}});
    var labels = new RealLabels(matrix(new float[][] {{0, 2}, {3, 1}, {0, 0}}));
    int[] rows = {0, 1};
    assertThat(new MeanSquaredError(false).evaluate(scores, labels, rows)).isEqualTo(2.5);
    assertThat(new MeanSquaredError(true).evaluate(scores, labels, rows)).isEqualTo(Math.sqrt(2.5));
    assertThat(new MeanSquaredError(true).evaluate(scores, labels, new int[0])).isNaN();
  }

  @Test
  void labelsThatDoNotFitAreRefused() {
    Matrix scores = matrix(new float[][] {{1, 2, 3}});
    var real = new RealLabels(matrix(new float[][] {{0, 2, 3}}));
    int[] rows = {0};
    for (Metric metric : new Metric[] {ACCURACY, MICRO, AUC}) {
      assertThatThrownBy(() -> metric.evaluate(scores, real, rows))
          .hasMessage(metric.name() + " cannot judge RealLabels");
    }
    ClassLabels three = ClassLabels.of(memory, new int[] {ClassLabels.NONE}, 3);
    assertThatThrownBy(() -> AUC.evaluate(scores, three, rows))
        .hasMessage("roc-auc cannot judge ClassLabels");
    assertThatThrownBy(() -> ACCURACY.evaluate(scores, three, rows))
        .hasMessage("row 0 has class -1 of 3");
    ClassLabels four = ClassLabels.of(memory, new int[] {3}, 4);
    assertThatThrownBy(() -> MACRO.evaluate(scores, four, rows))
        .hasMessage("3 columns of scores do not fit labels of width 4");
  }

  @Test
  void metricsAreFoundByName() {
    for (Metric metric : Metric.ALL) {
      assertThat(Metric.named(metric.name())).isEqualTo(metric);
    }
    assertThat(Metric.named("rmse").higherIsBetter()).isFalse();
    assertThatThrownBy(() -> Metric.named("f2"))
        .hasMessage(
            "there is no metric 'f2'; there are"
                + " accuracy, f1-micro, f1-macro, roc-auc, mse, rmse");
  }

  private Matrix matrix(float[][] values) {
    Matrix m = Matrix.allocate(memory, values.length, values[0].length);
    m.fill(Float.NaN); // Padding must not count.
    for (int r = 0; r < values.length; r++) {
      m.setRow(r, values[r]);
    }
    return m;
  }
}
