package dev.heddle.cli;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Link;
import dev.heddle.comm.Links;
import dev.heddle.comm.Tls;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say how many workers train together, and how they are connected. */
final class WorkerOptions {
  /** Each has threads and connections to all others. */
  private static final int MOST_WORKERS = 1024;

  @Option(
      names = "--workers",
      description = "Workers that train together (default: ${DEFAULT-VALUE}).")
  private int workers = 1;

  @Option(
      names = "--processes",
      negatable = true,
      fallbackValue = "true",
      description = "Workers are processes, joined by sockets; else threads.")
  private boolean processes;

  @Mixin private PartitionOptions partition = new PartitionOptions();

  @Option(
      names = "--link",
      description = {
        "Imitate links between workers: 1Gbit (default: no limit).",
        "Or some slower in one direction: 1Gbit,0-2=100Mbit."
      })
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
    if (workers > MOST_WORKERS) {
      throw new InputException("--workers must be at most " + MOST_WORKERS + ", not " + workers);
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

  /** Which vertices each of them has. */
  PartitionOptions partition() {
    return partition;
  }
}
