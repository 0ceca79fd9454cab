package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.TrainSettings;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What ten epochs lead to, which must not depend on how many workers there are: losses, gradients
 * and scores equal one worker's to 1e-5.
 *
 * <p>Gradients jump where a rectifier's input or the gap of two maxima is zero, and scores where
 * two classes are level: there it is rounding that decides, for one worker as for many. So where
 * workers depart from one worker, runs of one worker whose first parameters are a {@link #nudge}
 * apart must depart as far: every element of a gradient lies between the least and the greatest
 * that such runs come to, and some such run has the scores. (Several rectifiers turn independently
 * of each other, so that no single run need turn the same ones.)
 */
record Outcome(List<Epoch> epochs) {
  private static final int EPOCHS = 10;

  /** How far what is equal may be apart, relative. */
  private static final double EQUAL = 1e-5;

  /** How many runs of one worker are asked, where the first departs. */
  private static final int NUDGED = 64;

  /** Gradients are a matrix for each parameter. */
  record Epoch(double loss, Scores scores, List<float[][]> gradients) {
    private boolean hasScoresOf(Epoch other) {
      return near(scores.train(), other.scores.train())
          && near(scores.valid(), other.scores.valid())
          && near(scores.test(), other.scores.test());
    }

    /** The furthest gradient from the other's, beside the largest of its matrix. */
    private double fromGradientsOf(Epoch other) {
      double ofAll = other.gradients.stream().mapToDouble(Outcome::largest).max().orElse(0);
      double furthest = 0;
      for (int p = 0; p < gradients.size(); p++) {
        // A bias before a batch norm has a gradient of zero, but for rounding.
        double largest = Math.max(0.1 * ofAll, largest(other.gradients.get(p)));
        furthest = Math.max(furthest, furthest(gradients.get(p), other.gradients.get(p)) / largest);
      }
      return furthest;
    }

    /** How far gradients are outside of what others span, beside the largest of each matrix. */
    private double outside(List<Epoch> others) {
      double ofAll =
          others.getFirst().gradients.stream().mapToDouble(Outcome::largest).max().orElse(0);
      double furthest = 0;
      for (int p = 0; p < gradients.size(); p++) {
        double largest = Math.max(0.1 * ofAll, largest(others.getFirst().gradients.get(p)));
        float[][] matrix = gradients.get(p);
        for (int r = 0; r < matrix.length; r++) {
          for (int c = 0; c < matrix[r].length; c++) {
            double least = Double.POSITIVE_INFINITY;
            double greatest = Double.NEGATIVE_INFINITY;
            for (Epoch other : others) {
              least = Math.min(least, other.gradients.get(p)[r][c]);
              greatest = Math.max(greatest, other.gradients.get(p)[r][c]);
            }
            double beyond = Math.max(least - matrix[r][c], matrix[r][c] - greatest);
            furthest = Math.max(furthest, beyond / largest);
          }
        }
      }
      return furthest;
    }

    private static boolean near(double is, double should) {
      return Math.abs(is - should) <= EQUAL * Math.abs(should);
    }
  }

  static Outcome of(LocalGraph share, ParallelCase what) {
    return of(share, what, 0);
  }

  /** As above, with parameters to begin with that are a rounding apart for every nudge but zero. */
  static Outcome of(LocalGraph share, ParallelCase what, int nudge) {
    TrainSettings settings = what.settings();
    Model model =
        Model.create(what.spec(), share.shape(), share.worker().memory(), settings.seed());
    if (nudge != 0) {
      nudge(model, new SplittableRandom(nudge));
    }
    LoopRun trainer = LoopRun.of(share, model, settings);
    List<Epoch> epochs = new ArrayList<>();
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
      double loss = trainer.epoch(epoch);
      List<float[][]> gradients =
          model.parameters().all().stream().map(Parameter::grad).map(Matrix::toArray).toList();
      epochs.add(new Epoch(loss, trainer.evaluate(), gradients));
    }
    return new Outcome(epochs);
  }

  private static void nudge(Model model, SplittableRandom random) {
    for (Parameter parameter : model.parameters().all()) {
      Matrix value = parameter.value();
      for (int r = 0; r < value.rows(); r++) {
        for (int c = 0; c < value.cols(); c++) {
          value.set(r, c, value.get(r, c) * (float) (1 + 0x1p-22 * random.nextInt(-1, 2)));
        }
      }
    }
  }

  /** Checks that all workers come to the same bits, and to what one worker comes to. */
  static void assertLikeOneWorker(List<Outcome> together, ParallelCase what) throws IOException {
    for (Outcome each : together) {
      assertThat(each.bytes()).isEqualTo(together.getFirst().bytes());
    }
    together.getFirst().assertSame(what);
  }

  private void assertSame(ParallelCase what) {
    Outcome alone = what.alone(0);
    List<Outcome> nudged = new ArrayList<>();
    for (int e = 0; e < EPOCHS; e++) {
      int at = e;
      Epoch is = epochs.get(at);
      Epoch should = alone.epochs.get(at);
      assertThat(is.loss).isCloseTo(should.loss, within(EQUAL * Math.abs(should.loss)));
      if (is.hasScoresOf(should) && is.fromGradientsOf(should) <= EQUAL) {
        continue;
      }
      for (int n = nudged.size(); n < NUDGED; n++) {
        nudged.add(what.alone(n));
      }
      assertThat(nudged).anyMatch(one -> is.hasScoresOf(one.epochs.get(at)));
      List<Epoch> near = new ArrayList<>(List.of(should));
      nudged.forEach(one -> near.add(one.epochs.get(at)));
      assertThat(is.outside(near)).as("gradients of epoch %d", at + 1).isLessThanOrEqualTo(EQUAL);
    }
  }

  private static double largest(float[][] matrix) {
    double largest = 1e-6;
    for (float[] row : matrix) {
      for (float g : row) {
        largest = Math.max(largest, Math.abs(g));
      }
    }
    return largest;
  }

  private static double furthest(float[][] is, float[][] should) {
    double furthest = 0;
    for (int r = 0; r < should.length; r++) {
      for (int c = 0; c < should[r].length; c++) {
        furthest = Math.max(furthest, Math.abs(is[r][c] - should[r][c]));
      }
    }
    return furthest;
  }

  private byte[] bytes() throws IOException {
    var bytes = new ByteArrayOutputStream();
    write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  /** For another process to {@link #read}. */
  void write(DataOutputStream out) throws IOException {
    for (Epoch epoch : epochs) {
      out.writeDouble(epoch.loss);
      out.writeDouble(epoch.scores.train());
      out.writeDouble(epoch.scores.valid());
      out.writeDouble(epoch.scores.test());
      out.writeInt(epoch.gradients.size());
      for (float[][] gradient : epoch.gradients) {
        out.writeInt(gradient.length);
        out.writeInt(gradient[0].length);
        for (float[] row : gradient) {
          for (float value : row) {
            out.writeFloat(value);
          }
        }
      }
    }
  }

  static Outcome read(DataInputStream in) throws IOException {
    List<Epoch> epochs = new ArrayList<>();
    while (epochs.size() < EPOCHS) {
      double loss = in.readDouble();
      Scores scores = new Scores(in.readDouble(), in.readDouble(), in.readDouble());
      List<float[][]> gradients = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        float[][] gradient = new float[in.readInt()][in.readInt()];
        for (float[] row : gradient) {
          for (int c = 0; c < row.length; c++) {
            row[c] = in.readFloat();
          }
        }
        gradients.add(gradient);
      }
      epochs.add(new Epoch(loss, scores, gradients));
    }
    return new Outcome(epochs);
  }
}
