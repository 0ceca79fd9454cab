package dev.heddle.train.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.train.TestSeed;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Distances between models, by a few numbers of each. */
class WeightSketchTest {
  private static final int ROWS = 60;
  private static final int COLS = 33;
  private static final int WORKERS = 3;

  /** Over several models, so that the sketch's own error of a tenth averages out. */
  @Test
  void distancesAreThoseOfTheModels() {
    SplittableRandom random = TestSeed.random(this);
    double ratios = 0;
    int trials = 40;
    for (int trial = 0; trial < trials; trial++) {
      ratios += ratio(random);
    }
    // The error of one ratio is about 0.09, of their mean 0.014.
    assertThat(ratios / trials).isCloseTo(1, within(0.08));
  }

  private static double ratio(SplittableRandom random) {
    double[] sketches = new double[WORKERS * (WeightSketch.SUMS + 1)];
    double[][] models = new double[WORKERS][ROWS * COLS];
    try (Memory memory = new Memory()) {
      Matrix matrix = Matrix.allocate(memory, ROWS, COLS);
      for (int worker = 0; worker < WORKERS; worker++) {
        SplittableRandom same = new SplittableRandom(7);
        for (int i = 0; i < ROWS * COLS; i++) {
          float value = (float) (same.nextGaussian() + 0.1 * worker * random.nextGaussian());
          matrix.set(i / COLS, i % COLS, value);
          models[worker][i] = value;
        }
        WeightSketch.of(List.of(matrix), sketches, worker * (WeightSketch.SUMS + 1));
      }
    }
    return WeightSketch.divergence(sketches, WORKERS, WeightSketch.SUMS + 1) / divergence(models);
  }

  private static double divergence(double[][] models) {
    double norm = 0;
    double[] distances = new double[WORKERS];
    for (int i = 0; i < ROWS * COLS; i++) {
      double mean = 0;
      for (double[] model : models) {
        mean += model[i] / WORKERS;
      }
      norm += mean * mean;
      for (int worker = 0; worker < WORKERS; worker++) {
        distances[worker] += (models[worker][i] - mean) * (models[worker][i] - mean);
      }
    }
    double largest = 0;
    for (double distance : distances) {
      largest = Math.max(largest, distance);
    }
    return Math.sqrt(largest / norm);
  }

  @Test
  void equalModelsAreNoDistanceApart() {
    try (Memory memory = new Memory()) {
      Matrix matrix = Matrix.of(memory, new float[][] {{1, 2}, {3, 4}});
      double[] sketches = new double[2 * WeightSketch.SUMS];
      WeightSketch.of(List.of(matrix), sketches, 0);
      WeightSketch.of(List.of(matrix), sketches, WeightSketch.SUMS);
      assertThat(WeightSketch.divergence(sketches, 2, WeightSketch.SUMS)).isZero();
    }
  }
}
