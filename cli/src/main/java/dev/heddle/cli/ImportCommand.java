package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphTables;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.VertexColumns;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreWriter;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
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
    description = "Makes a store of tables, to be opened in no time from then on.",
    footer = {
      "",
      "Examples:",
      "  heddle import --nodes users.csv --edges follows.csv --out users.store",
      "  heddle import --graph cora --row-normalise --out cora.store"
    })
final class ImportCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--graph",
      description =
          "Folder with edges.csv.gz, features.npy or feat_*.npy, labels.npy and train/valid/test.txt;"
              + " or a built-in graph: wordnet.")
  private @Nullable String graph;

  @Option(
      names = "--nodes",
      description =
          "Instead of a folder: CSV file of vertices, a header first. Columns id, label and split"
              + " (train, valid, test) are what they say, all others are features. Without a column"
              + " split, 60, 20 and 20 %% of those with a label are drawn.")
  private @Nullable Path nodes;

  @Option(
      names = "--edges",
      description =
          "With --nodes: CSV file with columns src and dst, ids of vertices, and perhaps weight.")
  private @Nullable Path edges;

  @Option(names = "--id", description = "Column of --nodes (default: ${DEFAULT-VALUE}).")
  private String id = VertexColumns.DEFAULT.id();

  @Option(names = "--label", description = "Column of --nodes (default: ${DEFAULT-VALUE}).")
  private String label = VertexColumns.DEFAULT.label();

  @Option(names = "--split", description = "Column of --nodes (default: ${DEFAULT-VALUE}).")
  private String split = VertexColumns.DEFAULT.split();

  @Option(names = "--source", description = "Column of --edges (default: ${DEFAULT-VALUE}).")
  private String source = GraphTables.SOURCE;

  @Option(names = "--target", description = "Column of --edges (default: ${DEFAULT-VALUE}).")
  private String target = GraphTables.TARGET;

  @Option(
      names = "--skip",
      split = ",",
      paramLabel = "<column>",
      description = "Columns of --nodes that are no features.")
  private Set<String> skipped = Set.of();

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
    try (Graph read = ordered(spec.commandLine().getErr())) {
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

  private Graph ordered(PrintWriter err) {
    Graph read = read(err);
    if (order == VertexOrder.ORIGINAL) {
      return read;
    }
    try (read) {
      return read.reordered(order);
    }
  }

  private Graph read(PrintWriter err) {
    ReadOptions options =
        new ReadOptions(directed, splitIndex, rowNormalise).within(SystemMemory.available());
    if (graph != null && nodes == null && edges == null) {
      return BuiltIn.is(graph)
          ? BuiltIn.open(graph, SystemMemory.available())
          : Graph.open(Path.of(graph), options);
    }
    if (graph == null && nodes != null && edges != null) {
      return GraphTables.of(nodes, edges)
          .columns(new VertexColumns(id, label, split, skipped))
          .ends(source, target)
          .notes(note -> err.println("heddle: " + note))
          .read(options);
    }
    throw new InputException("give either --graph, or --nodes and --edges");
  }
}
