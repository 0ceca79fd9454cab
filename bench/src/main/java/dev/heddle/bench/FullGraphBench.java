package dev.heddle.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * Full-graph training side by side with PyTorch Geometric: both processes stay up, and their epochs
 * alternate, so that whatever disturbs the machine disturbs both.
 *
 * <p>Prints a Markdown table. Options: {@code --python} (an interpreter with torch and
 * torch_geometric), {@code --work} (a folder for graphs), {@code --data} (real graphs), {@code
 * --rounds}, {@code --warm-up} (seconds of each before what counts), {@code --cells} (all, or those
 * whose name contains the word), {@code --form} (of the peer), {@code --order}, {@code --half},
 * {@code --cache} (of Heddle).
 */
final class FullGraphBench {
  /** One row of the table. */
  private record Cell(String graph, String model, int hidden, String features) {
    String name() {
      return model + "-" + hidden + "-" + graph;
    }
  }

  private static final List<Cell> CELLS =
      List.of(
          new Cell("10m", "gcn", 128, "dense"),
          new Cell("10m", "gcn", 256, "dense"),
          new Cell("10m", "sage", 128, "dense"),
          new Cell("10m", "sage", 256, "dense"),
          new Cell("10m", "gat", 128, "dense"),
          new Cell("2m", "gat", 128, "dense"),
          new Cell("2m", "gat", 256, "dense"),
          new Cell("coauthor-cs", "gcn", 128, "sparse"),
          new Cell("coauthor-cs", "sage", 128, "sparse"));

  /** What PyTorch Geometric may take before it fails instead of the machine. */
  private static final long PEER_MEMORY = 16L << 30;

  private final Options options;
  private final PeerGraphs graphs;

  private FullGraphBench(Options options) {
    this.options = options;
    graphs = new PeerGraphs(options);
  }

  public static void main(String[] args) throws IOException {
    new FullGraphBench(Options.parse(args)).run();
  }

  private void run() throws IOException {
    System.out.println(
        "| graph | model | hidden | Heddle s/epoch | PyG s/epoch | ratio | Heddle MB | PyG MB | ratio |"
            + " losses |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    double logSum = 0;
    int count = 0;
    String wanted = options.word("cells", "");
    for (Cell cell : CELLS) {
      if (cell.name().contains(wanted) && graphs.prepare(cell.graph())) {
        double ratio = compare(cell);
        if (ratio > 0) {
          logSum += Math.log(ratio);
          count++;
        }
      }
    }
    System.out.printf(
        Locale.ROOT, "%nGeometric mean over %d cells: %.2f×%n", count, Math.exp(logSum / count));
  }

  private double compare(Cell cell) throws IOException {
    try (Peer heddle = Peer.start(heddle(cell));
        Peer pyg = Peer.start(pyg(cell))) {
      int rounds = options.number("rounds", 7);
      if (pyg.failed()) {
        JsonNode own = heddle.ask("epochs " + rounds);
        System.out.printf(
            Locale.ROOT,
            "| %s | %s | %d | %.3f | %s | – | %.0f | – | – | %.4f / – |%n",
            cell.graph(),
            cell.model(),
            cell.hidden(),
            Medians.of(Medians.seconds(own)),
            "fails: " + pyg.greeting().get("failed").asString().replaceAll("\\|", "/"),
            own.get("rssPeakBytes").asLong() / 1e6,
            own.get("loss").asDouble());
        return 0;
      }
      warmUp(heddle);
      warmUp(pyg);
      List<Double> ours = new ArrayList<>();
      List<Double> theirs = new ArrayList<>();
      JsonNode own = heddle.greeting();
      JsonNode peer = pyg.greeting();
      for (int round = 0; round < rounds; round++) {
        settle();
        own = heddle.ask("epochs 1");
        ours.addAll(Medians.seconds(own));
        settle();
        peer = pyg.ask("epochs 1");
        theirs.addAll(Medians.seconds(peer));
      }
      double ownMb = own.get("rssPeakBytes").asLong() / 1e6;
      double peerMb = peer.get("rssPeakBytes").asLong() / 1e6;
      double ratio = Medians.of(theirs) / Medians.of(ours);
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %d | %.3f | %.3f | %.2f× | %.0f | %.0f | %.2f | %.4f / %.4f |%n",
          cell.graph(),
          cell.model(),
          cell.hidden(),
          Medians.of(ours),
          Medians.of(theirs),
          ratio,
          ownMb,
          peerMb,
          ownMb / peerMb,
          own.get("loss").asDouble(),
          peer.get("loss").asDouble());
      return ratio;
    }
  }

  /** Epochs that do not count: compilers and caches settle by time, however short an epoch is. */
  private void warmUp(Peer peer) throws IOException {
    double left = options.number("warm-up", 4);
    do {
      for (double seconds : Medians.seconds(peer.ask("epochs 2"))) {
        left -= seconds;
      }
    } while (left > 0);
  }

  /** Lets the system finish with the other's pages before the next turn. */
  private static void settle() {
    try {
      Thread.sleep(500);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<String> heddle(Cell cell) {
    List<String> arguments = new ArrayList<>(shape(cell));
    arguments.addAll(List.of("--order", options.word("order", "auto")));
    arguments.addAll(List.of("--half", options.word("half", "0")));
    arguments.addAll(List.of("--cache", options.word("cache", "1")));
    return HeddlePeer.command(arguments);
  }

  private List<String> pyg(Cell cell) {
    List<String> command = new ArrayList<>();
    command.add(options.word("python", "python3"));
    command.add("bench/peers/pyg_full.py");
    command.addAll(shape(cell));
    command.addAll(List.of("--memory-limit", Long.toString(PEER_MEMORY)));
    // PyG's own layers by default, over a CSR adjacency where they can; its peers in bench/peers
    // also know forms tuned by hand.
    String stock = cell.model().equals("gat") ? "edge-index" : "csr";
    command.addAll(List.of("--form", options.word("form", stock)));
    if (cell.features().equals("sparse")) {
      command.add("--sparse-features");
    }
    return command;
  }

  private List<String> shape(Cell cell) {
    return List.of(
        "--graph",
        graphs.folder(cell.graph()).toString(),
        "--model",
        cell.model(),
        "--hidden",
        Integer.toString(cell.hidden()),
        "--layers",
        cell.features().equals("sparse") ? "2" : "3",
        "--heads",
        "4",
        "--threads",
        options.word("threads", "2"));
  }
}
