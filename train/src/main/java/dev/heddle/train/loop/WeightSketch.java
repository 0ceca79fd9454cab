package dev.heddle.train.loop;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import java.util.Arrays;
import java.util.List;

/**
 * Many numbers in a few, so that distances stay about what they are: each is added, with a drawn
 * sign, to a drawn one of some sums (AMS sketch, Alon, Matias and Szegedy, 1996). Sketching is
 * linear, and the expectation of a sketch's squared norm is that of the numbers: workers that know
 * each other's sketches know how far apart their models are, to about a tenth, and have sent two
 * kilobytes for it.
 */
final class WeightSketch {
  /** Sums; the squared norm's relative error is √(2 / SUMS). */
  static final int SUMS = 256;

  private static final long KEY = Draws.mix(SUMS);

  private WeightSketch() {}

  /** Writes a sketch of matrices, from an index on. */
  static void of(List<Matrix> matrices, double[] into, int first) {
    Arrays.fill(into, first, first + SUMS, 0);
    long number = 0;
    for (int i = 0; i < matrices.size(); i++) {
      Matrix matrix = matrices.get(i);
      for (int row = 0; row < matrix.rows(); row++) {
        for (int col = 0; col < matrix.cols(); col++) {
          long bits = Draws.at(KEY, number++);
          float value = matrix.get(row, col);
          into[first + (int) (bits & (SUMS - 1))] += bits < 0 ? -value : value;
        }
      }
    }
  }

  /**
   * The largest distance of one of some sketches from their mean, by the norm of the mean.
   *
   * @param sketches one after another, with so many numbers from one to the next
   */
  static double divergence(double[] sketches, int count, int stride) {
    double norm = 0;
    double largest = 0;
    for (int s = 0; s < SUMS; s++) {
      double mean = mean(sketches, count, stride, s);
      norm += mean * mean;
    }
    for (int k = 0; k < count; k++) {
      double distance = 0;
      for (int s = 0; s < SUMS; s++) {
        double difference = sketches[k * stride + s] - mean(sketches, count, stride, s);
        distance += difference * difference;
      }
      largest = Math.max(largest, distance);
    }
    return norm == 0 ? 0 : Math.sqrt(largest / norm);
  }

  private static double mean(double[] sketches, int count, int stride, int s) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
      sum += sketches[k * stride + s];
    }
    return sum / count;
  }
}
