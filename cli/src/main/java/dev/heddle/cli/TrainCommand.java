package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.VertexOrder;
import dev.heddle.nn.Metric;
import dev.heddle.train.EpochReport;
import dev.heddle.train.OptimizerKind;
import dev.heddle.train.Scores;
import dev.heddle.train.TrainResult;
import dev.heddle.train.TrainSettings;
import dev.heddle.train.Training;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle train}. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Trains a model on a graph and scores it.",
    footer = {
      "",
      "Example:",
      "  heddle train --graph cora --row-normalise --model gcn --hidden 16 --weight-decay 5e-4"
    })
final class TrainCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--graph",
      required = true,
      description =
          "Folder with edges.csv.gz, features.npy or feat_*.npy, labels.npy and train/valid/test.txt.")
  private Path graph = Path.of(".");

  @Option(names = "--directed", description = "Take arcs as they are; else they go both ways.")
  private boolean directed;

  @Option(names = "--split-index", description = "Which of the folder's splits (default: 0).")
  private int splitIndex;

  @Option(names = "--row-normalise", description = "Divide feature rows by their sums.")
  private boolean rowNormalise;

  @Option(
      names = "--order",
      description =
          "How vertices lie in memory: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private VertexOrder order = VertexOrder.AUTO;

  @Mixin private ModelOptions model = new ModelOptions();

  @Option(names = "--epochs", description = "Epochs (default: ${DEFAULT-VALUE}).")
  private int epochs = 200;

  @Option(
      names = "--optimizer",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OptimizerKind optimizer = OptimizerKind.ADAM;

  @Option(names = "--lr", description = "Learning rate (default: ${DEFAULT-VALUE}).")
  private float learningRate = 0.01f;

  @Option(names = "--weight-decay", description = "Weight decay (default: ${DEFAULT-VALUE}).")
  private float weightDecay;

  @Option(names = "--clip-norm", description = "Largest gradient norm; 0 for no limit.")
  private float clipNorm;

  @Option(
      names = "--patience",
      description = "Stop after so many epochs without a better validation score; 0 for never.")
  private int patience;

  @Option(
      names = "--metric",
      description = "accuracy, f1-micro, f1-macro, roc-auc, mse, rmse (default: by the labels).")
  private @Nullable String metric;

  @Option(names = "--seed", description = "Seed of everything random (default: 0).")
  private long seed;

  @Option(names = "--threads", description = "Threads (default: all cores).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--half", description = "Gather rows rounded to bfloat16.")
  private boolean half;

  @Option(
      names = "--no-cache",
      description = "Aggregate constant input features anew in every epoch.")
  private boolean noCache;

  @Option(names = "--save", description = "Write the parameters to this safetensors file.")
  private @Nullable Path save;

  @Option(names = "--json", description = "Print one JSON object as the last line of the output.")
  private boolean json;

  @Override
  public Integer call() {
    TrainSettings settings = settings();
    try (Graph read = read();
        Training training = Training.of(read, model.spec(), settings)) {
      TrainResult result = training.onEpoch(report -> progress(report, training)).run();
      if (save != null) {
        training.save(save);
      }
      Summary summary = Summary.of(read, training, settings, result);
      summary.print(out());
      if (json) {
        out().println(summary.toJson());
      }
    }
    return 0;
  }

  private Graph read() {
    Graph read = Graph.open(graph, new ReadOptions(directed, splitIndex, rowNormalise));
    if (order == VertexOrder.ORIGINAL) {
      return read;
    }
    try (read) {
      return read.reordered(order);
    }
  }

  private TrainSettings settings() {
    return TrainSettings.builder()
        .epochs(epochs)
        .optimizer(optimizer)
        .learningRate(learningRate)
        .weightDecay(weightDecay)
        .clipNorm(clipNorm)
        .patience(patience)
        .metric(metric == null ? null : Metric.named(metric))
        .seed(seed)
        .threads(threads)
        .halfWidth(half)
        .cacheConstants(!noCache)
        .build();
  }

  /** Every tenth of the way, so that a log stays readable. */
  private void progress(EpochReport report, Training training) {
    Scores scores = report.scores();
    int every = Math.max(1, epochs / 10);
    if (scores == null || (report.epoch() % every != 0 && report.epoch() != 1)) {
      return;
    }
    err()
        .printf(
            Locale.ROOT,
            "epoch %d/%d  loss %.4f  %s train %.4f valid %.4f  %.1f ms%n",
            report.epoch(),
            epochs,
            report.loss(),
            training.metric().name(),
            scores.train(),
            scores.valid(),
            1000 * report.seconds());
  }

  private PrintWriter out() {
    return commandSpec().commandLine().getOut();
  }

  private PrintWriter err() {
    return commandSpec().commandLine().getErr();
  }

  private CommandSpec commandSpec() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    return spec;
  }
}
