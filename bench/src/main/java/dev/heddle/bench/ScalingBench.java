package dev.heddle.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * How time and memory grow: full-graph training with one thread and two, and over graphs of 10, 30
 * and 100 million arcs at one average degree. Prints Markdown tables.
 *
 * <p>Options: {@code --work}, {@code --model}, {@code --hidden}, {@code --rounds}, {@code
 * --largest} (the last graph taken).
 */
final class ScalingBench {
  private static final List<String> GRAPHS = List.of("10m", "30m", "100m");

  private final Options options;
  private final PeerGraphs graphs;

  private ScalingBench(Options options) {
    this.options = options;
    graphs = new PeerGraphs(options);
  }

  public static void main(String[] args) throws IOException {
    ScalingBench bench = new ScalingBench(Options.parse(args));
    bench.threads();
    bench.sizes();
  }

  private void threads() throws IOException {
    graphs.prepare("10m");
    try (Peer one = Peer.start(HeddlePeer.command(shape("10m", 1)));
        Peer two = Peer.start(HeddlePeer.command(shape("10m", 2)))) {
      List<Double> alone = new ArrayList<>();
      List<Double> together = new ArrayList<>();
      one.ask("epochs 2");
      two.ask("epochs 2");
      for (int round = 0; round < rounds(); round++) {
        alone.addAll(Medians.seconds(one.ask("epochs 1")));
        together.addAll(Medians.seconds(two.ask("epochs 1")));
      }
      System.out.println("| threads | s/epoch | speed-up |");
      System.out.println("|---|---|---|");
      System.out.printf(Locale.ROOT, "| 1 | %.3f | 1 |%n", Medians.of(alone));
      System.out.printf(
          Locale.ROOT,
          "| 2 | %.3f | %.2f |%n%n",
          Medians.of(together),
          Medians.of(alone) / Medians.of(together));
    }
  }

  /** All sizes stay up and take turns, so that a machine that slows down slows all of them. */
  private void sizes() throws IOException {
    int count = GRAPHS.indexOf(options.word("largest", "100m")) + 1;
    List<Size> sizes = new ArrayList<>();
    try {
      for (String graph : GRAPHS.subList(0, count)) {
        graphs.prepare(graph);
        sizes.add(new Size(graph, Peer.start(HeddlePeer.command(shape(graph, 2)))));
        sizes.getLast().peer.ask("epochs 2");
      }
      for (int round = 0; round < rounds(); round++) {
        for (Size size : sizes) {
          size.take();
        }
      }
    } finally {
      for (Size size : sizes) {
        size.peer.close();
      }
    }
    System.out.println("| graph | arcs | s/epoch | ns/arc | MB | bytes/arc |");
    System.out.println("|---|---|---|---|---|---|");
    sizes.forEach(Size::print);
  }

  /** One of the graphs, and what its epochs took. */
  private static final class Size {
    private final String graph;
    private final Peer peer;
    private final List<Double> seconds = new ArrayList<>();
    private long bytes;

    Size(String graph, Peer peer) {
      this.graph = graph;
      this.peer = peer;
    }

    void take() throws IOException {
      JsonNode answer = peer.ask("epochs 1");
      seconds.addAll(Medians.seconds(answer));
      bytes = answer.get("rssPeakBytes").asLong();
    }

    void print() {
      long arcs = peer.greeting().get("arcs").asLong();
      double median = Medians.of(seconds);
      System.out.printf(
          Locale.ROOT,
          "| %s | %d | %.3f | %.1f | %.0f | %.1f |%n",
          graph,
          arcs,
          median,
          1e9 * median / arcs,
          bytes / 1e6,
          (double) bytes / arcs);
    }
  }

  private int rounds() {
    return options.number("rounds", 7);
  }

  private List<String> shape(String graph, int threads) {
    return List.of(
        "--graph",
        graphs.folder(graph).toString(),
        "--model",
        options.word("model", "gcn"),
        "--hidden",
        options.word("hidden", "128"),
        "--threads",
        Integer.toString(threads));
  }
}
