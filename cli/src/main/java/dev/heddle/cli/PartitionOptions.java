package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionFile;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.store.Store;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which vertices each of several workers has. */
final class PartitionOptions {
  /** How much more than the mean a worker may have of what is balanced. */
  private static final double BALANCE = 1.05;

  @Option(
      names = "--partition",
      description =
          "How the graph is split among workers: ${COMPLETION-CANDIDATES} (default: as its store"
              + " says for so many parts, else multilevel).")
  private @Nullable PartitionMethod method;

  @Option(
      names = "--partition-file",
      description = "Split it so: the part of a vertex in each line, as METIS writes it.")
  private @Nullable Path file;

  /** Refuses two ways at once. */
  void check(Knobs knobs) {
    int epochs = knobs.batchSplit().presample();
    boolean asked = epochs > 0 && epochs != BatchSplit.DEFAULT.presample();
    if (asked && (method != null || file != null)) {
      throw new InputException(
          "--presample and "
              + (method != null ? "--partition" : "--partition-file")
              + " both say how the graph is split: leave one out");
    }
  }

  /**
   * The partition that a run had before, or is told to take, or finds in the store, or else a new
   * one in which workers have equally many vertices, arcs and training vertices. The same seed
   * gives the same.
   *
   * <p>Where workers compute batches together and no way is named, it is one by what samples touch.
   *
   * @param store of the graph, if it is in one
   * @param kept of the run that goes on, if it is there
   */
  ChosenPartition choose(
      Graph graph,
      int parts,
      ModelSpec model,
      TrainSettings settings,
      @Nullable Path store,
      @Nullable Path kept) {
    if (parts > graph.vertices()) {
      throw new InputException(
          parts + " workers are more than the graph's " + graph.vertices() + " vertices");
    }
    long start = System.nanoTime();
    if (kept != null && Files.exists(kept)) {
      return ChosenPartition.of(graph, PartitionFile.read(kept, graph, parts), "run", start);
    }
    if (file != null) {
      return ChosenPartition.of(graph, PartitionFile.read(file, graph, parts), "file", start);
    }
    var presampled = PresampledOwners.of(model, settings);
    if (method == null && presampled != null) {
      Partition owners = presampled.read(graph, parts, store);
      return owners != null
          ? ChosenPartition.of(graph, owners, "store", start)
          : ChosenPartition.of(graph, presampled.make(graph, parts, store), "presampled", start);
    }
    Partition stored = method == null ? stored(graph, parts, store) : null;
    if (stored != null) {
      return ChosenPartition.of(graph, stored, "store", start);
    }
    PartitionMethod by = method == null ? PartitionMethod.MULTILEVEL : method;
    return ChosenPartition.of(graph, made(graph, parts, by, settings), by.toString(), start);
  }

  /** What is stored with the graph, whose vertices may have been ordered since. */
  private static @Nullable Partition stored(Graph graph, int parts, @Nullable Path store) {
    Partition found = store == null ? null : Store.open(store).partitions().read(parts);
    if (found == null) {
      return null;
    }
    int[] partOf = new int[graph.vertices()];
    for (int v = 0; v < partOf.length; v++) {
      partOf[v] = found.partOf(graph.userIndex(v));
    }
    return Partition.of(parts, partOf);
  }

  private static Partition made(
      Graph graph, int parts, PartitionMethod by, TrainSettings settings) {
    Set<Constraint> balanced = EnumSet.of(Constraint.VERTICES, Constraint.ARCS);
    if (graph.split() != null) {
      balanced.add(Constraint.TRAIN);
    }
    try (ThreadTeam team = ThreadTeam.of(settings.threads())) {
      return by.partitioner()
          .partition(graph, new PartitionSettings(parts, settings.seed(), BALANCE, balanced), team);
    }
  }
}
