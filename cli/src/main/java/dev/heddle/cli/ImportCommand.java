package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle import}. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Makes a store of a folder of tables, to be opened in no time from then on.",
    footer = {"", "Example:", "  heddle import --graph cora --row-normalise --out cora.store"})
final class ImportCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--graph",
      required = true,
      description =
          "Folder with edges.csv.gz, features.npy or feat_*.npy, labels.npy and train/valid/test.txt.")
  private Path graph = Path.of("");

  @Option(names = "--out", required = true, description = "The store to make.")
  private Path out = Path.of("");

  @Option(names = "--overwrite", description = "Replace a store that is there.")
  private boolean overwrite;

  @Option(names = "--directed", description = "Take arcs as they are; else they go both ways.")
  private boolean directed;

  @Option(names = "--split-index", description = "Which of the folder's splits (default: 0).")
  private int splitIndex;

  @Option(names = "--row-normalise", description = "Divide feature rows by their sums.")
  private boolean rowNormalise;

  @Option(
      names = "--order",
      description =
          "How vertices lie in the store: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."
              + " community makes training from mapped features faster; ids stay.")
  private VertexOrder order = VertexOrder.ORIGINAL;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    try (Graph read = read()) {
      StoreWriter.write(read, out, overwrite);
      long bytes = Store.open(out).fileBytes().values().stream().mapToLong(Long::longValue).sum();
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "%s: %,d vertices, %,d arcs, %,d bytes%n",
              out,
              read.vertices(),
              read.arcs(),
              bytes);
    }
    return 0;
  }

  private Graph read() {
    Graph read =
        Graph.open(
            graph,
            new ReadOptions(directed, splitIndex, rowNormalise)
                .withMemory(SystemMemory.availableBytes()));
    if (order == VertexOrder.ORIGINAL) {
      return read;
    }
    try (read) {
      return read.reordered(order);
    }
  }
}
