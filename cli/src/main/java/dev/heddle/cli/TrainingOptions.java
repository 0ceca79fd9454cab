package dev.heddle.cli;

import dev.heddle.nn.LearningRate;
import dev.heddle.nn.Metric;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.util.Iterator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a model is trained. */
final class TrainingOptions {
  /** How the learning rate goes over the epochs. */
  private enum Schedule {
    CONSTANT,
    COSINE,
    STEP;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final class MetricNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Metric.ALL.stream().map(Metric::name).iterator();
    }
  }

  @Option(names = "--epochs", description = "Epochs (default: ${DEFAULT-VALUE}).")
  private int epochs = 200;

  @Option(
      names = "--optimizer",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OptimizerKind optimizer = OptimizerKind.ADAM;

  @Option(names = "--lr", description = "Learning rate (default: ${DEFAULT-VALUE}).")
  private float learningRate = 0.01f;

  @Option(
      names = "--schedule",
      description = "Of the learning rate: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Schedule schedule = Schedule.CONSTANT;

  @Option(
      names = "--warmup",
      description = "Epochs in which a cosine schedule rises (default: ${DEFAULT-VALUE}).")
  private int warmup;

  @Option(
      names = "--step-epochs",
      description =
          "Epochs from one drop of a step schedule to the next (default: ${DEFAULT-VALUE}).")
  private int stepEpochs = 50;

  @Option(
      names = "--step-factor",
      description = "What a drop multiplies the learning rate by (default: ${DEFAULT-VALUE}).")
  private float stepFactor = 0.5f;

  @Option(names = "--weight-decay", description = "Weight decay (default: ${DEFAULT-VALUE}).")
  private float weightDecay;

  @Option(names = "--momentum", description = "Of sgd (default: ${DEFAULT-VALUE}).")
  private float momentum = 0.9f;

  @Option(
      names = "--clip-norm",
      description = "Largest gradient norm; 0 for no limit (default: ${DEFAULT-VALUE}).")
  private float clipNorm;

  @Option(
      names = "--patience",
      description =
          "Stop after so many epochs without a better validation score; 0 for never"
              + " (default: ${DEFAULT-VALUE}).")
  private int patience;

  @Option(
      names = "--evaluate-every",
      description =
          "Epochs from one evaluation to the next; 0 for none at all, as exact scores need rows of"
              + " all vertices in memory (default: with one worker 1, and 2 for wordnet; with"
              + " several, so many that evaluations are at most a tenth of what they send).")
  private @Nullable Integer evaluateEvery;

  @Option(
      names = "--metric",
      completionCandidates = MetricNames.class,
      description = "${COMPLETION-CANDIDATES} (default: by the labels).")
  private @Nullable String metric;

  @Option(names = "--seed", description = "Seed of everything random (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--threads",
      description = "Threads; 0 for all cores (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--half",
      negatable = true,
      fallbackValue = "true",
      description =
          "Sum rows rounded to bfloat16 (models that sum rows);"
              + " in batches of one worker, keep features so.")
  private boolean half;

  @Option(
      names = "--precompute",
      negatable = true,
      fallbackValue = "true",
      description =
          "Aggregate constant input features once and not in every epoch, into as much memory again"
              + " (default: unless --features mapped).")
  private @Nullable Boolean precompute;

  int epochs() {
    return epochs;
  }

  /**
   * What the options say. Features that may exceed memory are read from one end to the other where
   * that is possible; aggregating them reads them at random.
   */
  TrainSettings settings(RunOptions run, GraphOptions graph) {
    return TrainSettings.builder()
        .epochs(epochs)
        .optimizer(optimizer)
        .learningRate(rate())
        .weightDecay(weightDecay)
        .momentum(momentum)
        .clipNorm(clipNorm)
        .patience(patience)
        .evaluateEvery(evaluateEvery())
        .metric(metric == null ? null : namedMetric(metric))
        .seed(seed)
        .threads(threads == 0 ? Runtime.getRuntime().availableProcessors() : threads)
        .halfWidth(half)
        .cacheConstants(precompute != null ? precompute : !graph.mapped())
        .memoryLimit(run.memoryLimit())
        .scratch(run.scratch())
        .build();
  }

  private int evaluateEvery() {
    if (evaluateEvery == null) {
      return TrainSettings.SELDOM;
    }
    if (evaluateEvery < 0) {
      throw new InputException("--evaluate-every must not be negative, but is " + evaluateEvery);
    }
    return evaluateEvery;
  }

  /** What the run has come to where nobody said; returns whether that was so. */
  boolean resolveEvaluateEvery(int interval) {
    boolean open = evaluateEvery == null;
    evaluateEvery = interval;
    return open;
  }

  private LearningRate rate() {
    if (epochs < 1) {
      throw new IllegalArgumentException("epochs must be at least 1, not " + epochs);
    }
    return switch (schedule) {
      case CONSTANT -> new LearningRate.Constant(learningRate);
      case COSINE -> new LearningRate.Cosine(learningRate, 0, epochs, warmup);
      case STEP -> new LearningRate.Step(learningRate, stepEpochs, stepFactor);
    };
  }

  private static Metric namedMetric(String name) {
    return Metric.ALL.stream()
        .filter(m -> m.name().equals(name))
        .findFirst()
        .orElseThrow(() -> {
          var names = Metric.ALL.stream().map(Metric::name).toList();
          String hint = DidYouMean.hint(name, names);
          return new InputException(
              "--metric: there is no '"
                  + name
                  + "'"
                  + (hint.isEmpty() ? "; there are " + String.join(", ", names) : hint));
        });
  }
}
