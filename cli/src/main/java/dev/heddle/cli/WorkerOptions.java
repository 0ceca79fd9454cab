package dev.heddle.cli;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Link;
import dev.heddle.comm.Links;
import dev.heddle.comm.Tls;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionFile;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.kernel.Workers;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say how many workers train together, and how they are connected. */
final class WorkerOptions {
  @Option(
      names = "--workers",
      description =
          "Workers that train together, each with a part of the graph (default: ${DEFAULT-VALUE}).")
  private int workers = 1;

  @Option(
      names = "--processes",
      negatable = true,
      fallbackValue = "true",
      description = "Each worker is a process of its own, joined by sockets; else a thread.")
  private boolean processes;

  @Option(
      names = "--partition",
      description =
          "How the graph is split among workers: ${COMPLETION-CANDIDATES} (default:"
              + " ${DEFAULT-VALUE}).")
  private PartitionMethod partition = PartitionMethod.MULTILEVEL;

  @Option(
      names = "--partition-file",
      description = "Split it so: the part of a vertex in each line, as METIS writes it.")
  private @Nullable Path partitionFile;

  @Option(
      names = "--link",
      description =
          "Imitate links of this rate between workers: 1Gbit; or some slower in one direction:"
              + " 1Gbit,0-2=100Mbit (default: no limit).")
  private @Nullable String link;

  @Option(
      names = "--latency",
      description = "Imitate links of this latency: 0.2ms (default: none).")
  private @Nullable String latency;

  @Mixin private ConnectionOptions connections = new ConnectionOptions();

  /** How many; from 1. */
  int count() {
    if (workers < 1) {
      throw new InputException("--workers must be at least 1, not " + workers);
    }
    return workers;
  }

  /** So many, as those who are connected know; what is written of the run says so too. */
  void are(int number) {
    workers = number;
  }

  /** What these options say of how a process joins the others, whoever it is. */
  UnaryOperator<JoinSettings> joining() {
    GroupSettings group = group();
    Tls tls = connections.tls();
    return who -> {
      JoinSettings plain = who.withGroup(group).withUnixSockets(connections.unixSockets());
      return tls == null ? plain : plain.withTls(tls);
    };
  }

  /** Whether workers are processes. */
  boolean processes() {
    return processes;
  }

  GroupSettings group() {
    GroupSettings patient = connections.group();
    if (link == null && latency == null) {
      return patient;
    }
    String delay = latency == null ? "0s" : latency;
    return link == null
        ? patient.withLink(Link.delay(delay))
        : patient.withLinks(Links.parse(link, delay));
  }

  /** Whose vertices are whose; the same for any seed of the run. */
  Partition partition(Graph graph, int parts, int threads) {
    if (parts > graph.vertices()) {
      throw new InputException(
          parts + " workers are more than the graph's " + graph.vertices() + " vertices");
    }
    if (partitionFile != null) {
      return PartitionFile.read(partitionFile, graph, parts);
    }
    Set<Constraint> balanced = EnumSet.of(Constraint.VERTICES, Constraint.ARCS);
    try (Workers team = Workers.of(threads)) {
      return partition
          .partitioner()
          .partition(graph, new PartitionSettings(parts, 0, 1.05, balanced), team);
    }
  }
}
