package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.tables.imports.ImportException;
import dev.heddle.tables.imports.ImportReport;
import dev.heddle.tables.imports.ImportSettings;
import dev.heddle.tables.imports.TableImport;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "  heddle import --nodes 'users/*.parquet' --edges follows.csv.zst --dry-run --out"
          + " users.store",
      "  heddle import --graph cora --row-normalise --out cora.store"
    })
final class ImportCommand implements Callable<Integer> {
  private static final long LEAST_MEMORY = 256L << 20;
  private static final long MOST_MEMORY = 2L << 30;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--graph",
      description =
          "Folder with edges.csv.gz, features.npy or feat_*.npy, labels.npy and"
              + " train/valid/test.txt; or a built-in graph: wordnet.")
  private @Nullable String graph;

  @Mixin private TableOptions tables = new TableOptions();

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

  @Option(
      names = "--dry-run",
      description = "Only say what the columns of tables are taken for, and what is wrong.")
  private boolean dryRun;

  @Option(
      names = "--memory",
      description =
          "What reading tables may take, beside the heap: 512m, 2g (default: a quarter of what is"
              + " free, at most 2g); the rest waits on disk beside --out.")
  private @Nullable String memory;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    CommandLine line = spec.commandLine();
    String named = graph;
    if (tables.given() == (named != null)) {
      throw new InputException("give either --graph, or --edges and perhaps --nodes");
    }
    if (named != null) {
      folder(named, line.getOut());
      return 0;
    }
    try {
      tables(line.getOut(), line.getErr());
      return 0;
    } catch (ImportException e) {
      e.lines().forEach(fault -> line.getErr().println("heddle: " + fault));
      return Errors.USAGE;
    }
  }

  private void tables(PrintWriter to, PrintWriter err) {
    if (order != VertexOrder.ORIGINAL || splitIndex != 0) {
      throw new InputException("--order and --split-index are for --graph");
    }
    ImportSettings settings = tables.settings(directed, rowNormalise);
    Path place = out.toAbsolutePath().normalize();
    Path parent = place.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new InputException(out + ": the folder it is to be in does not exist");
    }
    if (!overwrite && !dryRun && Files.exists(place)) {
      throw new InputException(out + ": is there already: --overwrite replaces it");
    }
    Path folder = parent.resolve("." + place.getFileName() + ".tables");
    try (TableImport read = TableImport.open(settings, folder, bytes(), err)) {
      read.guess().forEach(to::println);
      if (dryRun) {
        return;
      }
      ImportReport report = read.write(out, overwrite, SystemMemory.available());
      report.lines().forEach(to::println);
    }
    print(to, Store.open(out));
  }

  private long bytes() {
    return memory == null
        ? Math.clamp(SystemMemory.availableBytes() / 4, LEAST_MEMORY, MOST_MEMORY)
        : RunOptions.bytes("--memory", memory);
  }

  private void folder(String named, PrintWriter to) {
    if (dryRun) {
      throw new InputException("--dry-run is for --nodes and --edges");
    }
    try (Graph read = ordered(named)) {
      StoreWriter.write(read, out, overwrite);
    }
    print(to, Store.open(out));
  }

  private void print(PrintWriter to, Store store) {
    long bytes = store.fileBytes().values().stream().mapToLong(Long::longValue).sum();
    to.printf(
        Locale.ROOT,
        "%s: %,d vertices, %,d arcs, %,d bytes%n",
        out,
        store.vertices(),
        store.arcs(),
        bytes);
  }

  private Graph ordered(String named) {
    Graph read = read(named);
    if (order == VertexOrder.ORIGINAL) {
      return read;
    }
    try (read) {
      return read.reordered(order);
    }
  }

  private Graph read(String named) {
    ReadOptions options =
        new ReadOptions(directed, splitIndex, rowNormalise).within(SystemMemory.available());
    return BuiltIn.is(named)
        ? BuiltIn.open(named, SystemMemory.available())
        : Graph.open(Path.of(named), options);
  }
}
