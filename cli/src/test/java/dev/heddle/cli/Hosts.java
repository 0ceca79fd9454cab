package dev.heddle.cli;

import dev.heddle.comm.Sent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hosts on one machine: network namespaces, each with a link to a bridge that lets no more than a
 * rate out ({@code tc tbf}). Needs root.
 */
final class Hosts implements AutoCloseable {
  private static final String LINK = "wire";

  private final String name = "heddle-" + ProcessHandle.current().pid();
  private final List<String> spaces = new ArrayList<>();
  private final Thread atExit = Thread.ofPlatform().unstarted(this::remove);

  private Hosts() {
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Whether this machine can have any; leaves nothing behind. */
  static boolean possible() throws IOException, InterruptedException {
    if (!Files.isExecutable(Path.of("/sbin/ip")) || !Files.isExecutable(Path.of("/sbin/tc"))) {
      return false;
    }
    try (Hosts none = new Hosts()) {
      String _ = none.space("try");
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  /** So many, that can reach each other. */
  static Hosts of(int count, String rate) throws IOException, InterruptedException {
    Hosts hosts = new Hosts();
    try {
      hosts.join(count, rate);
      return hosts;
    } catch (IOException | InterruptedException | AssertionError e) {
      hosts.close();
      throw e;
    }
  }

  private void join(int count, String rate) throws IOException, InterruptedException {
    String bridge = space("bridge");
    ip("-n", bridge, "link", "add", "bridge", "type", "bridge");
    ip("-n", bridge, "link", "set", "bridge", "up");
    for (int host = 0; host < count; host++) {
      String space = space(Integer.toString(host));
      String port = "port" + host;
      ip("-n", space, "link", "add", LINK, "type", "veth", "peer", "name", port, "netns", bridge);
      ip("-n", space, "addr", "add", address(host) + "/24", "dev", LINK);
      ip("-n", space, "link", "set", "lo", "up");
      ip("-n", space, "link", "set", LINK, "up");
      ip("-n", bridge, "link", "set", port, "master", "bridge", "up");
      run(
          "tc", "-n", space, "qdisc", "add", "dev", LINK, "root", "tbf", "rate", rate, "burst",
          "32kb", "latency", "4s");
    }
  }

  private String space(String suffix) throws IOException, InterruptedException {
    String space = name + "-" + suffix;
    ip("netns", "add", space);
    spaces.add(space);
    return space;
  }

  private static void ip(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(words));
    String _ = run(command.toArray(String[]::new));
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(20, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + printed);
    }
    return printed;
  }

  String address(int host) {
    return "10.213.77." + (host + 1);
  }

  /** Lets a command run on a host. */
  ProcessBuilder at(int host, ProcessBuilder command) {
    command.command().addAll(0, List.of("ip", "netns", "exec", name + "-" + host));
    return command;
  }

  /** Bytes that have left a host by some time, headers and all. */
  record Sent(long bytes, double seconds) {}

  /** Both are read by one process, whose start may take its time. */
  Sent sent(int host) throws IOException, InterruptedException {
    String file = "/sys/class/net/" + LINK + "/statistics/tx_bytes";
    String[] words =
        run("ip", "netns", "exec", name + "-" + host, "cat", file, "/proc/uptime")
            .split("\\s+", -1);
    return new Sent(Long.parseLong(words[0]), Double.parseDouble(words[1]));
  }

  private void remove() {
    for (String space : spaces) {
      try {
        ip("netns", "del", space);
      } catch (IOException | InterruptedException | AssertionError e) {
        System.out.println("cannot remove " + space + ": " + e);
      }
    }
    spaces.clear();
  }

  @Override
  public void close() {
    remove();
    Runtime.getRuntime().removeShutdownHook(atExit);
  }
}
