package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What ten epochs lead to, which must not depend on how many workers there are. */
record Outcome(List<Epoch> epochs) {
  private static final int EPOCHS = 10;

  /** How far losses may be apart, relative. */
  private static final double LOSSES = 1e-5;

  /**
   * How far gradients may be apart beside the largest: where rounding decides at the kink of a
   * ReLU, a vertex's share of a gradient comes or goes.
   */
  private static final double GRADIENTS = 1e-3;

  /** Gradients are a matrix for each parameter. */
  record Epoch(double loss, Scores scores, List<float[][]> gradients) {}

  static Outcome of(Share share, ParallelCase what, FullGraphTrainer.Place place) {
    TrainSettings settings = what.settings();
    Model model = Model.create(what.spec(), share.shape(), place.memory(), settings.seed());
    FullGraphTrainer trainer = new FullGraphTrainer(share, model, settings, place);
    List<Epoch> epochs = new ArrayList<>();
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
      double loss = trainer.epoch(epoch);
      List<float[][]> gradients =
          model.parameters().all().stream().map(Parameter::grad).map(Matrix::toArray).toList();
      epochs.add(new Epoch(loss, trainer.evaluate(), gradients));
    }
    return new Outcome(epochs);
  }

  /** Checks that this is what one worker came to. */
  void assertSame(Outcome alone) {
    for (int e = 0; e < EPOCHS; e++) {
      Epoch is = epochs.get(e);
      Epoch should = alone.epochs.get(e);
      double slack = LOSSES * Math.abs(should.loss);
      assertThat(is.loss).isCloseTo(should.loss, within(slack));
      // One of about a hundred vertices between two classes may fall to either side.
      assertThat(is.scores.test()).isCloseTo(should.scores.test(), within(0.03));
      double ofAll = should.gradients.stream().mapToDouble(Outcome::largest).max().orElse(0);
      for (int p = 0; p < should.gradients.size(); p++) {
        // A bias before a batch norm has a gradient of zero, but for rounding.
        double largest = Math.max(0.1 * ofAll, largest(should.gradients.get(p)));
        assertSame(is.gradients.get(p), should.gradients.get(p), GRADIENTS * largest);
      }
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

  private static void assertSame(float[][] is, float[][] should, double slack) {
    for (int r = 0; r < should.length; r++) {
      for (int c = 0; c < should[r].length; c++) {
        assertThat((double) is[r][c]).isCloseTo(should[r][c], within(slack));
      }
    }
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
