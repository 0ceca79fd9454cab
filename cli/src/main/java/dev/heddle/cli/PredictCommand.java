package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.train.Inference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    description = "Writes what a trained model says of every vertex of its graph, or of another.",
    footer = {
      "",
      "Example:",
      "  heddle predict runs/20260101-120000-wordnet-sage --out predictions.csv"
    })
final class PredictCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private SavedRun run = new SavedRun();

  @Option(
      names = "--out",
      required = true,
      description = {
        "<file>.csv: id, predicted class, its probability, and that of each class;",
        "<file>.npy: the probabilities alone, a row per vertex."
      })
  private Path out = Path.of("predictions.csv");

  @Override
  public Integer call() throws IOException {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    String name = String.valueOf(out.getFileName());
    boolean csv = name.endsWith(".csv");
    if (!csv && !name.endsWith(".npy")) {
      throw new InputException("--out must end in .csv or .npy, unlike " + out);
    }
    Path parent = out.toAbsolutePath().getParent();
    if (Files.isDirectory(out) || parent == null || !Files.isDirectory(parent)) {
      throw new InputException(out + ": is a folder, or its folder does not exist");
    }
    if (!Files.isWritable(parent)) {
      throw new InputException(out + ": cannot be written (permission denied)");
    }
    try (Graph graph = run.open();
        Inference inference = run.inference(graph, spec.commandLine().getErr())) {
      Predictions predictions = new Predictions(graph, inference);
      if (csv) {
        predictions.writeCsv(out);
      } else {
        predictions.writeNpy(out);
      }
      spec.commandLine()
          .getOut()
          .println(graph.vertices() + " vertices of " + graph.name() + ": " + out);
    }
    return 0;
  }
}
