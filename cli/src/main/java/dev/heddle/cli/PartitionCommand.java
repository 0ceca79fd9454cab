package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionFile;
import dev.heddle.graph.partition.PartitionReport;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.store.Store;
import dev.heddle.kernel.ThreadTeam;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle partition}. */
@Command(
    name = "partition",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Splits a graph into parts that cut few edges and are equally large.",
      "The partition is stored with a store; --out writes it as text too."
    },
    footer = {"", "Example:", "  heddle partition --graph cora.store --parts 4"})
final class PartitionCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--graph",
      required = true,
      description = "A store, a folder with edges.csv.gz, or a built-in graph: wordnet.")
  private String graph = "";

  @Option(names = "--parts", required = true, description = "How many parts.")
  private int parts;

  @Option(
      names = "--method",
      description =
          "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). multilevel cuts least; streaming"
              + " needs a few bytes a vertex; range takes vertices as they lie, with equal arcs.")
  private PartitionMethod method = PartitionMethod.MULTILEVEL;

  @Option(
      names = "--partition-file",
      description = "Take this partition: the part of a vertex in each line, as METIS writes it.")
  private @Nullable Path partitionFile;

  @Option(names = "--seed", description = "Seed of all draws (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--balance",
      split = ",",
      description =
          "What parts have equally much of: ${COMPLETION-CANDIDATES} (default: vertices,arcs).")
  private List<Constraint> balance = List.of(Constraint.VERTICES, Constraint.ARCS);

  @Option(
      names = "--imbalance",
      description = "How much more than the mean a part may have (default: ${DEFAULT-VALUE}).")
  private double imbalance = 0.05;

  @Option(names = "--threads", description = "Threads (default: all processors).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--out", description = "Also write the partition to this file, one part a line.")
  private @Nullable Path out;

  @Option(names = "--json", description = "Print one JSON object instead of the table.")
  private boolean json;

  @Override
  public Integer call() {
    PartitionSettings settings =
        new PartitionSettings(parts, seed, 1 + imbalance, EnumSet.copyOf(balance));
    Path folder = Path.of(graph);
    boolean stored = Store.isStore(folder);
    if (!stored && out == null) {
      throw new InputException(
          graph + " is not a store to keep the partition in: --out says where it goes");
    }
    try (Graph read = read(folder)) {
      long start = System.nanoTime();
      Partition partition = partition(read, settings);
      double seconds = (System.nanoTime() - start) / 1e9;
      if (stored) {
        Store.open(folder).partitions().write(partition);
      }
      if (out != null) {
        PartitionFile.write(partition, read, out);
      }
      print(new PartitionTable(read, PartitionReport.of(read, partition), seconds));
    }
    return 0;
  }

  private Graph read(Path folder) {
    if (Files.isDirectory(folder)) {
      return Graph.open(folder, ReadOptions.DEFAULT.within(SystemMemory.available()));
    }
    if (BuiltIn.NAMES.contains(graph)) {
      return BuiltIn.open(graph, SystemMemory.available());
    }
    throw new InputException("there is no graph '" + graph + "'");
  }

  private Partition partition(Graph read, PartitionSettings settings) {
    if (partitionFile != null) {
      return PartitionFile.read(partitionFile, read, parts);
    }
    try (ThreadTeam team = ThreadTeam.of(threads)) {
      return method.partitioner().partition(read, settings, team);
    }
  }

  private void print(PartitionTable table) {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    if (json) {
      spec.commandLine().getOut().println(table.toJson());
    } else {
      table.print(spec.commandLine().getOut());
    }
  }
}
