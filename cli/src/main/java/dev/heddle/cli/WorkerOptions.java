package dev.heddle.cli;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Link;
import dev.heddle.comm.Tls;
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

  @Mixin private PartitionOptions partition = new PartitionOptions();

  @Option(
      names = "--link",
      description = "Imitate links of this rate between workers: 1Gbit (default: no limit).")
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
    double noLimit = Link.UNLIMITED.bitsPerSecond();
    String delay = latency == null ? "0s" : latency;
    Link limited =
        link == null
            ? new Link(noLimit, Link.parse("1bit", delay).latencySeconds())
            : Link.parse(link, delay);
    return patient.withLink(limited);
  }

  /** Which vertices each of them has. */
  PartitionOptions partition() {
    return partition;
  }
}
