package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.train.Inference;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle predict}: what a trained model says of every vertex. */
@Command(
    name = "predict",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes what a trained model says of every vertex of its graph, or of another: the class",
      "with its probability, and that of every class; or each label's probability, or numbers."
    },
    footer = {
      "",
      "Examples:",
      "  heddle predict runs/20260101-120000-wordnet-sage --out predictions.parquet",
      "  heddle predict runs/users --graph users-today.store --out predictions.csv"
    })
final class PredictCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private SavedRun run = new SavedRun();
  @Mixin private ResultOptions results = new ResultOptions();

  @Option(
      names = "--probabilities",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Tell the probability of every class, not of the likeliest alone.")
  private boolean probabilities = true;

  @Override
  public Integer call() throws IOException {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    ResultFormat format = results.format();
    if (format == ResultFormat.NPY && !probabilities) {
      throw new InputException(
          "an array has the probabilities alone: --no-probabilities is for tables");
    }
    try (Graph graph = run.open();
        Inference inference = run.inference(graph, results.folder(), spec.commandLine().getErr())) {
      VertexResults.predictions(graph, inference, probabilities).write(results.out(), format);
      run.report(graph, inference, results.out(), spec.commandLine().getOut());
    }
    return 0;
  }
}
