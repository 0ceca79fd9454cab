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

/** {@code heddle embed}: the vector that a layer of a trained model makes of every vertex. */
@Command(
    name = "embed",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes the vector that a layer of a trained model makes of every vertex: in Parquet and JSON",
      "lines a column vector, in CSV a column for each number, in .npy an array."
    },
    footer = {
      "",
      "Example:",
      "  heddle embed runs/20260101-120000-wordnet-sage --layer 1 --out vectors.parquet"
    })
final class EmbedCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private SavedRun run = new SavedRun();
  @Mixin private ResultOptions results = new ResultOptions();

  @Option(
      names = "--layer",
      description = {
        "Which layer, from 1, after its normalisation and activation (default: the last but one;",
        "the last makes the outputs). gcnii and resgcn begin with one that maps features, and every",
        "step of appnp is one."
      })
  private @Nullable Integer layer;

  @Override
  public Integer call() throws IOException {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    ResultFormat format = results.format();
    try (Graph graph = run.open();
        Inference inference = run.inference(graph, results.folder(), spec.commandLine().getErr())) {
      int chosen = layer == null ? Math.max(1, inference.layers() - 1) : layer;
      VertexResults.embeddings(graph, inference, chosen).write(results.out(), format);
      run.report(graph, inference, results.out(), spec.commandLine().getOut());
    }
    return 0;
  }
}
