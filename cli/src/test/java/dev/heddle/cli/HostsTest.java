package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Four hosts with slow links train as four threads do, and send as fast as the links allow. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class HostsTest {
  private static final int HOSTS = 4;
  private static final String RATE = "10mbit";
  private static final double BYTES_PER_SECOND = 10e6 / 8;

  @TempDir private Path folder;

  private final List<Child> children = new ArrayList<>();

  @BeforeEach
  void askForNamespaces() throws IOException, InterruptedException {
    assumeTrue(Hosts.possible(), "needs root, ip and tc to make network namespaces");
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Child child : children) {
      child.process().destroyForcibly();
      int _ = child.await();
    }
  }

  @Test
  void trainAtTheRateOfTheirLinksToTheBitsOfThreads() throws Exception {
    // Nearly every neighbour is at another host, so that epochs are all traffic.
    String graph = RingGraph.write(folder.resolve("rings"), 4000).toString();
    String[] options = {"--graph", graph, "--partition", "random", "--epochs", "5"};
    options = with(options, "--model", "sage", "--hidden", "256", "--layers", "3");
    Path threads = folder.resolve("threads");
    String[] alone = {"train", "--workers", "4", "--out", threads.toString()};
    Ran ran = Ran.heddle(with(alone, options));
    assertThat(ran.exit()).as(ran.err()).isZero();

    Path apart = folder.resolve("apart");
    try (Hosts hosts = Hosts.of(HOSTS, RATE)) {
      for (int host = 0; host < HOSTS; host++) {
        children.add(start(hosts, host, with(options, "--out", apart.toString())));
      }
      double best = fastest(hosts);
      System.out.printf(Locale.ROOT, "up to %.0f bytes a second from a host%n", best);
      for (Child child : children) {
        assertThat(child.await()).as(child.printed()).isZero();
      }
      assertThat(best).isBetween(0.85 * BYTES_PER_SECOND, 1.15 * BYTES_PER_SECOND);
    }
    assertThat(apart.resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(threads.resolve(RunFolder.MODEL));
  }

  /** AdaQP between hosts: far fewer bytes. What time that saves is printed. */
  @Test
  void adaptiveWidthsSaveBytes() throws Exception {
    String graph = folder.resolve("communities").toString();
    String[] size = {"--vertices", "8000", "--degree", "10", "--width", "256"};
    assertThat(Ran.heddle(with(new String[] {"generate", "--out", graph}, size)).exit()).isZero();
    String[] options = {"--graph", graph, "--epochs", "16", "--evaluate-every", "16"};
    options = with(options, "--model", "sage", "--hidden", "256", "--layers", "3");
    options = with(options, "--threads", "4");
    double vanilla = epochBytes("vanilla", with(options, "--no-precompute"));
    double cached = epochBytes("cached", options);
    double quantised = epochBytes("quantised", with(options, "--codec", "adaptive"));
    double overlapped = epochBytes("overlapped", with(options, "--overlap", "on"));
    String[] both = {"--codec", "adaptive", "--overlap", "on"};
    double adaptive = epochBytes("adaptive", with(options, both));
    double sums = epochBytes("with sums", with(with(options, both), "--pre-aggregate", "on"));
    assertThat(cached).isLessThan(vanilla);
    assertThat(overlapped).isEqualTo(cached);
    // From 32 bits to 8 at most, and four bytes a row of 256.
    assertThat(quantised).isLessThan(0.27 * cached);
    assertThat(adaptive).isLessThan(0.27 * cached);
    assertThat(sums).isLessThanOrEqualTo(1.05 * adaptive);
  }

  /** Bytes of rows in the median epoch of four hosts whose links are slow. */
  private double epochBytes(String name, String[] options) throws Exception {
    Path out = folder.resolve(name);
    try (Hosts hosts = Hosts.of(HOSTS, "180mbit")) {
      children.clear();
      for (int host = 0; host < HOSTS; host++) {
        children.add(start(hosts, host, with(options, "--out", out.toString())));
      }
      for (Child child : children) {
        assertThat(child.await()).as(child.printed()).isZero();
      }
    }
    JsonNode summary = new JsonMapper().readTree(Files.readString(out.resolve("summary.json")));
    double seconds = summary.get("epochSeconds").get("median").asDouble();
    JsonNode epoch = summary.get("exchange").get("epoch");
    double waited = epoch.get("exposedSeconds").asDouble() + epoch.get("sumSeconds").asDouble();
    System.out.printf(
        Locale.ROOT,
        "%s: %.3f s an epoch, %.0f %% of it communicating, %.1f MB%n",
        name,
        seconds,
        100 * waited / seconds,
        epoch.get("bytes").asDouble() / 1e6);
    return epoch.get("bytes").asDouble();
  }

  private Child start(Hosts hosts, int host, String[] options) throws IOException {
    String[] own = {"worker", "--rank", "" + host, "--world", "" + HOSTS, "--no-unix-sockets"};
    String[] place = {"--rendezvous", hosts.address(0) + ":7077"};
    ProcessBuilder command = Child.command(Heddle.class, with(with(own, place), options));
    command.command().remove("-XX:TieredStopAtLevel=1"); // Kernels are to be faster than links.
    command.environment().put(WorkerProcesses.SECRET, "a secret of tests");
    return Child.start(folder.resolve("printed-" + host), hosts.at(host, command));
  }

  /** The most that any host sends in two seconds, until all have ended: while rows travel. */
  private double fastest(Hosts hosts) throws IOException, InterruptedException {
    double best = 0;
    Hosts.Sent[] before = new Hosts.Sent[HOSTS];
    while (children.stream().anyMatch(child -> child.process().isAlive())) {
      for (int host = 0; host < HOSTS; host++) {
        Hosts.Sent now = hosts.sent(host);
        Hosts.Sent then = before[host];
        if (then != null) {
          best = Math.max(best, (now.bytes() - then.bytes()) / (now.seconds() - then.seconds()));
        }
        before[host] = now;
      }
      Thread.sleep(2000);
    }
    return best;
  }
}
