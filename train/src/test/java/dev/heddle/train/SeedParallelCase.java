package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.train.batch.FetchPlan;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A graph, who has which of its vertices, and a model for workers who share batches. */
record SeedParallelCase(Graph graph, Partition owners, ModelSpec spec) {
  static final int EPOCHS = 3;

  /** What training came to. */
  record Trained(List<Double> losses, Scores scores, List<float[][]> parameters) {
    static Trained by(Training training) {
      List<Double> losses = new ArrayList<>();
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        losses.add(training.epoch(epoch).loss());
      }
      return new Trained(losses, training.evaluate(), parameters(training));
    }

    private static List<float[][]> parameters(Training training) {
      return training.model().parameters().all().stream()
          .map(Parameter::value)
          .map(Matrix::toArray)
          .toList();
    }

    void assertClose(Trained alone, double tolerance) {
      for (int e = 0; e < EPOCHS; e++) {
        double should = alone.losses.get(e);
        assertThat(losses.get(e)).isCloseTo(should, within(tolerance * Math.abs(should)));
      }
      assertThat(scores.test()).isCloseTo(alone.scores.test(), within(0.03));
      for (int p = 0; p < parameters.size(); p++) {
        assertClose(parameters.get(p), alone.parameters.get(p), 10 * tolerance);
      }
    }

    /** All steps together move a parameter by some hundredths. */
    private static void assertClose(float[][] is, float[][] should, double tolerance) {
      for (int r = 0; r < should.length; r++) {
        for (int c = 0; c < should[r].length; c++) {
          double most = tolerance * Math.max(1, Math.abs(should[r][c]));
          assertThat((double) is[r][c]).isCloseTo(should[r][c], within(most));
        }
      }
    }

    void assertSameBits(Trained other) {
      assertThat(losses).isEqualTo(other.losses);
      assertThat(scores).isEqualTo(other.scores);
      for (int p = 0; p < parameters.size(); p++) {
        assertThat(Arrays.deepEquals(parameters.get(p), other.parameters.get(p))).isTrue();
      }
    }
  }

  static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(2)
        .hidden(8)
        .heads(2)
        .outputHeads(2)
        .propagations(2)
        .dropout(0.3f)
        .attentionDropout(kind.attention() ? 0.2f : 0)
        .norm(NormKind.LAYER)
        .build();
  }

  static TrainSettings settings(BatchSettings batches) {
    // Small steps without moments: differences of rounding stay as small as they are.
    return settings(batches, 0.005f);
  }

  static TrainSettings settings(BatchSettings batches, float learningRate) {
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .epochs(EPOCHS)
        .learningRate(learningRate)
        .threads(1)
        .seed(3)
        .batches(batches)
        .build();
  }

  /** What one worker makes of it. */
  Trained alone(TrainSettings settings) {
    try (Training training = Training.of(graph, spec, settings)) {
      return Trained.by(training);
    }
  }

  /** What each of several makes of it. */
  List<Trained> together(TrainSettings settings) {
    return each(settings, Trained::by);
  }

  /** What each worker means to do. */
  List<FetchPlan> plans(TrainSettings settings) {
    return each(settings, Training::fetchPlan);
  }

  /** By rank, what each of several workers does with its training. */
  <T> List<T> each(TrainSettings settings, Function<Training, T> work) {
    return eachOf(settings, (training, _) -> work.apply(training));
  }

  /** By rank, what each of several workers does with its training and its group. */
  <T> List<T> eachOf(TrainSettings settings, BiFunction<Training, Group, T> work) {
    Map<Integer, T> all = new ConcurrentSkipListMap<>();
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, group, owners)) {
            all.put(group.rank(), work.apply(training, group));
          }
        });
    return List.copyOf(all.values());
  }
}
