package dev.heddle.cli;

import dev.heddle.graph.FeaturePlace;
import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which graph and how it is read. */
final class GraphOptions {
  @Option(
      names = "--graph",
      description = "Store or folder of a graph, or wordnet, built in (default: ${DEFAULT-VALUE}).")
  private String graph = BuiltIn.WORDNET;

  @Option(
      names = "--directed",
      negatable = true,
      fallbackValue = "true",
      description = "Take arcs as they are; else they go both ways.")
  private boolean directed;

  @Option(
      names = "--split-index",
      description = "Which of the folder's splits (default: ${DEFAULT-VALUE}).")
  private int splitIndex;

  @Option(
      names = "--row-normalise",
      negatable = true,
      fallbackValue = "true",
      description = "Divide feature rows by their sums.")
  private boolean rowNormalise;

  @Option(
      names = "--order",
      description =
          "How vertices lie in memory: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private VertexOrder order = VertexOrder.AUTO;

  @Option(
      names = "--features",
      description = {
        "Where a store's features are: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
        "mapped uses the store where it lies, in its own order; it may exceed memory."
      })
  private FeaturePlace features = FeaturePlace.MEMORY;

  @Option(
      names = "--prepared",
      hidden = true,
      description = "Store that the first of several processes made of the graph, for all to map.")
  private @Nullable Path prepared;

  String name() {
    Path name = Path.of(graph).toAbsolutePath().normalize().getFileName();
    return name == null ? "graph" : name.toString();
  }

  /** What {@code --graph} says. */
  String graph() {
    return graph;
  }

  /** Whether features stay in the store's files. */
  boolean mapped() {
    return features == FeaturePlace.MAPPED;
  }

  /** Reads the graph, whose memory counts in a budget; the caller closes it. */
  Graph open(Memory budget) {
    return prepared == null
        ? open(graph, budget)
        : Graph.open(prepared, ReadOptions.DEFAULT.within(budget));
  }

  /** The store that the graph is in; null where it is in none, or made ready for several. */
  @Nullable Path store() {
    Path path = Path.of(graph);
    return prepared == null && Store.isStore(path) ? path : null;
  }

  /** Makes a store of the graph, which was opened here; from now on it is opened there. */
  void prepare(Graph whole, Path store) {
    StoreWriter.write(whole, store, /* overwrite= */ false);
    prepared = store;
  }

  /**
   * Reads another graph.
   *
   * @param scaled whether feature rows are divided by their sums if these options say so
   */
  Graph openOther(String which, boolean scaled, Memory budget) {
    rowNormalise &= scaled;
    return open(which, budget);
  }

  /** Reads another graph in the same way. */
  Graph open(String which, Memory budget) {
    boolean inPlace = mapped();
    if (inPlace && order != VertexOrder.AUTO && order != VertexOrder.ORIGINAL) {
      throw new InputException(
          "--features mapped uses a store as it lies: heddle import --order "
              + order
              + " orders it");
    }
    Graph read = read(which, budget);
    if (inPlace || order == VertexOrder.ORIGINAL) {
      return read;
    }
    try (read) {
      return read.reordered(order);
    } catch (MemoryLimitException e) {
      throw new InputException(
          "ordering the vertices " + e.getMessage() + "; --order original needs none", e);
    }
  }

  private Graph read(String which, Memory budget) {
    Path path = Path.of(which);
    boolean store = Store.isStore(path);
    if (which.equals(graph) && mapped() && !store) {
      throw new InputException(
          "--features mapped is for stores, and "
              + which
              + " is none: heddle import makes one of it, leave it out for a built-in graph");
    }
    if (which.equals(graph) && directed && store) {
      throw new InputException(
          "--directed is for folders: the arcs of a store are as heddle import has made them");
    }
    if (store || Files.isDirectory(path)) {
      ReadOptions options =
          new ReadOptions(directed, splitIndex, rowNormalise).withPlace(features).within(budget);
      return Graph.open(path, options);
    }
    if (Files.exists(path)) {
      throw new InputException(which + ": is a file; a graph is a folder");
    }
    if (BuiltIn.NAMES.contains(which)) {
      if (directed || rowNormalise || splitIndex != 0) {
        throw new InputException(
            which + " is built in: --directed, --split-index and --row-normalise are for folders");
      }
      return BuiltIn.open(which, budget.child());
    }
    throw new InputException(
        "there is no graph '"
            + which
            + "': no such folder, nor is it built in"
            + DidYouMean.hint(which, BuiltIn.NAMES));
  }
}
