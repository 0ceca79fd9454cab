package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.store.Store;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle info}. */
@Command(
    name = "info",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Says what is in a graph: counts, degrees, classes, splits, features, bytes.",
    footer = {"", "Example:", "  heddle info communities --verify"})
final class InfoCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "GRAPH",
      description = "A store, a folder with edges.csv.gz, or a built-in graph: wordnet.")
  private String graph = "";

  @Option(
      names = "--verify",
      description = "First read all of a store and check it; folders are checked when read.")
  private boolean verify;

  @Option(names = "--directed", description = "Take a folder's arcs as they are.")
  private boolean directed;

  @Option(names = "--json", description = "Print one JSON object instead of the table.")
  private boolean json;

  @Override
  public Integer call() {
    if (BuiltIn.is(graph)) {
      try (Graph read = BuiltIn.open(graph, SystemMemory.available())) {
        print(GraphReport.of(read, null, "built in", false));
      }
      return 0;
    }
    Path path = Path.of(graph);
    Store store = Store.isStore(path) ? Store.open(path) : null;
    if (verify && store != null) {
      store.verify();
    }
    ReadOptions options =
        ReadOptions.DEFAULT.withDirected(directed).within(SystemMemory.available());
    try (Graph read = Graph.open(path, options)) {
      print(GraphReport.of(read, store, store != null ? "store" : "folder", verify));
    }
    return 0;
  }

  private void print(GraphReport report) {
    if (json) {
      out().println(report.toJson());
    } else {
      report.print(out());
    }
  }

  private PrintWriter out() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    return spec.commandLine().getOut();
  }
}
