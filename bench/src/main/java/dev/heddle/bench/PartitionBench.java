package dev.heddle.bench;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionReport;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.partition.Partitioner;
import dev.heddle.graph.partition.StreamingPartitioner;
import dev.heddle.graph.wordnet.WordNet;
import dev.heddle.kernel.Workers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * Partitions against METIS, in turns on the same machine: {@code --python PATH} is a Python with
 * pymetis, {@code --graphs cora,wordnet} chooses. Both balance vertices, of an undirected graph.
 *
 * <p>METIS is taken both ways, by recursive bisection (which pymetis chooses for up to 8 parts) and
 * k-way (for more). It is compiled code: ours is warmed on a generated graph that is not measured,
 * and the time of the very first call is reported apart.
 */
final class PartitionBench {
  private static final int[] PARTS = {4, 8, 32};

  private static final int ROUNDS = 5;

  /** How long the code is warmed, in seconds. */
  private static final int WARM_UP = 15;

  private final Options options;
  private final List<String> streamed = new ArrayList<>();

  private PartitionBench(Options options) {
    this.options = options;
  }

  public static void main(String[] args) throws IOException {
    new PartitionBench(Options.parse(args)).run();
  }

  private void run() throws IOException {
    String[] names = options.word("graphs", "cora,wordnet,npm-deps,communities").split(",", -1);
    warmUp(names[0]);
    System.out.println(
        "\n| graph | parts | cut | METIS bisecting | METIS k-way | s | METIS bisecting | METIS"
            + " k-way | balance | METIS bisecting | METIS k-way |\n"
            + "|---|---|---|---|---|---|---|---|---|---|---|");
    for (String name : names) {
      try (Graph graph = open(name)) {
        measure(name, graph);
      }
    }
    System.out.println(
        "\nStreaming:\n\n| graph | parts | cut | s | vertices | bytes a vertex |\n"
            + "|---|---|---|---|---|---|");
    streamed.forEach(System.out::println);
  }

  private void warmUp(String first) {
    try (Workers workers = Workers.of(2);
        Graph graph = open(first);
        Graph other = communities(30_000, 10)) {
      double[] cold = ours(graph, PARTS[0], 0, workers);
      System.out.printf(
          Locale.ROOT, "First call (%s, %d parts): %.3f s%n", first, PARTS[0], cold[1]);
      long end = System.nanoTime() + WARM_UP * 1_000_000_000L;
      for (int seed = 0; System.nanoTime() < end; seed++) {
        ours(other, PARTS[seed % PARTS.length], seed, workers);
      }
    }
  }

  private static Graph communities(int vertices, int degree) {
    try (Workers workers = Workers.of(2)) {
      return CommunityGraph.of(vertices).averageDegree(degree).width(0).generate(workers);
    }
  }

  private Graph open(String name) {
    return switch (name) {
      case "wordnet" -> WordNet.read().graph();
      case "communities" -> communities(2_000_000, 15);
      default -> Graph.open(Path.of(options.word("data", "../shared/data")).resolve(name));
    };
  }

  private void measure(String name, Graph graph) throws IOException {
    Path file = Files.createTempFile("heddle-bench", ".graph");
    List<String> command =
        List.of(
            options.word("python", "python3"), "bench/peers/metis.py", "--graph", file.toString());
    UndirectedFile.write(graph, file);
    try (Workers workers = Workers.of(2);
        Peer metis = Peer.start(command)) {
      for (int parts : PARTS) {
        row(name, graph, parts, metis, workers);
      }
      for (int parts : PARTS) {
        streaming(name, graph, parts, workers);
      }
    } finally {
      Files.delete(file);
    }
  }

  private void row(String name, Graph graph, int parts, Peer metis, Workers workers)
      throws IOException {
    int rounds = options.number("rounds", graph.arcs() > 10_000_000 ? 1 : ROUNDS);
    double[][] mine = new double[4][rounds];
    double[][] bisecting = new double[4][rounds];
    double[][] kway = new double[4][rounds];
    for (int seed = 0; seed < rounds; seed++) {
      note(mine, seed, ours(graph, parts, seed, workers));
      note(bisecting, seed, answer(metis, parts, seed, "rb"));
      note(kway, seed, answer(metis, parts, seed, "kway"));
    }
    System.out.printf(
        Locale.ROOT,
        "| %s | %d | %.0f | %s | %s | %.4f | %s | %s | %s | %.3f | %.3f |%n",
        name,
        parts,
        median(mine[0]),
        against(mine[0], bisecting[0], 1.05),
        against(mine[0], kway[0], 1.05),
        median(mine[1]),
        against(mine[1], bisecting[1], 0.5),
        against(mine[1], kway[1], 0.5),
        cell(median(mine[2]), 1.0505),
        median(bisecting[2]),
        median(kway[2]));
  }

  private static void note(double[][] figures, int round, double[] now) {
    for (int i = 0; i < now.length; i++) {
      figures[i][round] = now[i];
    }
  }

  /** METIS's median, and ours as a share of it. */
  private static String against(double[] mine, double[] theirs, double goal) {
    double other = median(theirs);
    String figure = String.format(Locale.ROOT, other < 100 ? "%.4f" : "%.0f", other);
    return figure + " (" + cell(median(mine) / other, goal) + ")";
  }

  private static double median(double[] values) {
    return Medians.of(Arrays.stream(values).boxed().toList());
  }

  /** A number, in bold if it is above what it is to be. */
  private static String cell(double value, double goal) {
    return String.format(Locale.ROOT, value > goal ? "**%.3f**" : "%.3f", value);
  }

  private static double[] ours(Graph graph, int parts, int seed, Workers workers) {
    return measured(new MultilevelPartitioner(), graph, parts, seed, workers);
  }

  private static double[] measured(
      Partitioner method, Graph graph, int parts, int seed, Workers workers) {
    PartitionSettings settings =
        PartitionSettings.of(parts).withSeed(seed).withConstraints(EnumSet.of(Constraint.VERTICES));
    long start = System.nanoTime();
    Partition partition = method.partition(graph, settings, workers);
    double seconds = (System.nanoTime() - start) / 1e9;
    PartitionReport report = PartitionReport.of(graph, partition);
    return new double[] {report.edgesCut(), seconds, report.vertexBalance(), report.arcBalance()};
  }

  private static double[] answer(Peer metis, int parts, int seed, String mode) throws IOException {
    JsonNode said = metis.ask("partition " + parts + " " + seed + " " + mode);
    if (said.has("failed")) {
      throw new IOException("METIS: " + said.get("failed").asString());
    }
    return new double[] {
      said.get("cut").asDouble(),
      said.get("seconds").asDouble(),
      said.get("vertices").asDouble(),
      said.get("arcs").asDouble()
    };
  }

  private void streaming(String name, Graph graph, int parts, Workers workers) {
    double[] figures = measured(new StreamingPartitioner(), graph, parts, 0, workers);
    streamed.add(
        String.format(
            Locale.ROOT,
            "| %s | %d | %.0f | %.3f | %.3f | %d |",
            name,
            parts,
            figures[0],
            figures[1],
            figures[2],
            StreamingPartitioner.bytesPerVertex(1)));
  }
}
