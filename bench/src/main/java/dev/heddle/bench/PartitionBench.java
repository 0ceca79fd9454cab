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
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Partitions against METIS, in turns on the same machine: {@code --python PATH} is a Python with
 * pymetis, {@code --graphs cora,wordnet} chooses. Both balance vertices, of an undirected graph.
 *
 * <p>METIS is taken both ways, by recursive bisection (which pymetis chooses for up to 8 parts) and
 * k-way (for more). Both begin with the undirected graph in memory; what making it takes us is
 * reported apart. METIS is compiled code: ours is warmed on generated graphs that are not measured,
 * and the time of the very first call is reported apart too. On small graphs each side does a few
 * seeds in a row at its turn, as whoever comes first after the other finds the caches cold.
 */
final class PartitionBench {
  private static final int[] PARTS = {4, 8, 32};

  private static final int ROUNDS = 5;

  /** Seeds that are done in a row on small graphs. */
  private static final int IN_ROW = 5;

  /** How long the code is warmed, in seconds. */
  private static final int WARM_UP = 20;

  /** Vertices of the graphs that it is warmed on. */
  private static final int[] WARMING = {3_000, 30_000, 120_000};

  private final Options options;
  private final List<String> streamed = new ArrayList<>();
  private final List<String> undirected = new ArrayList<>();

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
    System.out.println("\nMaking the graph undirected: " + String.join(", ", undirected));
    System.out.println(
        "\nStreaming:\n\n| graph | parts | cut | s | vertices | bytes a vertex |\n"
            + "|---|---|---|---|---|---|");
    streamed.forEach(System.out::println);
  }

  private void warmUp(String first) {
    try (ThreadTeam team = ThreadTeam.of(2);
        Graph graph = open(first)) {
      double[] cold =
          measured(whole(new MultilevelPartitioner(), graph, team), graph, settings(PARTS[0], 0));
      System.out.printf(
          Locale.ROOT, "First call (%s, %d parts): %.3f s%n", first, PARTS[0], cold[1]);
    }
    for (int vertices : WARMING) {
      warmUp(vertices, WARM_UP / WARMING.length);
    }
  }

  private static void warmUp(int vertices, int seconds) {
    try (ThreadTeam team = ThreadTeam.of(2);
        Graph graph = communities(vertices, 6)) {
      long end = System.nanoTime() + seconds * 1_000_000_000L;
      for (int seed = 0; System.nanoTime() < end; seed++) {
        int parts = PARTS[seed % PARTS.length];
        double[] _ =
            measured(whole(new MultilevelPartitioner(), graph, team), graph, settings(parts, seed));
      }
    }
  }

  private static Graph communities(int vertices, int degree) {
    try (ThreadTeam team = ThreadTeam.of(2)) {
      return CommunityGraph.of(vertices).averageDegree(degree).width(0).generate(team);
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
    try (ThreadTeam team = ThreadTeam.of(2);
        Peer metis = Peer.start(command)) {
      Function<PartitionSettings, Partition> ours = prepared(name, graph, team);
      for (int parts : PARTS) {
        row(new Row(name, graph, parts, ours), metis);
      }
      for (int parts : PARTS) {
        streaming(name, graph, parts, team);
      }
    } finally {
      Files.delete(file);
    }
  }

  /** Ours on a graph that is undirected already; says what making it so took. */
  private Function<PartitionSettings, Partition> prepared(
      String name, Graph graph, ThreadTeam team) {
    double[] seconds = new double[rounds(graph)];
    MultilevelPartitioner.Prepared prepared = null;
    for (int round = 0; round < seconds.length; round++) {
      long start = System.nanoTime();
      prepared = MultilevelPartitioner.prepare(graph, EnumSet.of(Constraint.VERTICES), team);
      seconds[round] = (System.nanoTime() - start) / 1e9;
    }
    undirected.add(String.format(Locale.ROOT, "%s %.4f s", name, median(seconds)));
    MultilevelPartitioner.Prepared once = Objects.requireNonNull(prepared);
    return settings -> once.partition(settings, team);
  }

  private record Row(
      String name, Graph graph, int parts, Function<PartitionSettings, Partition> ours) {}

  private void row(Row row, Peer metis) throws IOException {
    Graph graph = row.graph;
    int parts = row.parts;
    int rounds = options.number("rounds", rounds(graph));
    int inRow = rounds % IN_ROW == 0 && rounds > IN_ROW ? IN_ROW : 1;
    double[][] mine = new double[4][rounds];
    double[][] bisecting = new double[4][rounds];
    double[][] kway = new double[4][rounds];
    for (int first = 0; first < rounds; first += inRow) {
      for (int seed = first; seed < first + inRow; seed++) {
        note(mine, seed, measured(row.ours, graph, settings(parts, seed)));
      }
      for (int seed = first; seed < first + inRow; seed++) {
        note(bisecting, seed, answer(metis, parts, seed, "rb"));
      }
      for (int seed = first; seed < first + inRow; seed++) {
        note(kway, seed, answer(metis, parts, seed, "kway"));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "| %s | %d | %.0f | %s | %s | %.4f | %s | %s | %s | %.3f | %.3f |%n",
        row.name,
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

  /** As many as take seconds: medians of many small ones, one of a large one. */
  private static int rounds(Graph graph) {
    long arcs = graph.arcs();
    if (arcs > 10_000_000) {
      return 1;
    }
    return arcs > 1_000_000 ? ROUNDS : arcs > 100_000 ? 5 * ROUNDS : 20 * ROUNDS;
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

  /** From the graph as it is. */
  private static Function<PartitionSettings, Partition> whole(
      Partitioner method, Graph graph, ThreadTeam team) {
    return settings -> method.partition(graph, settings, team);
  }

  private static PartitionSettings settings(int parts, int seed) {
    return PartitionSettings.of(parts)
        .withSeed(seed)
        .withConstraints(EnumSet.of(Constraint.VERTICES));
  }

  private static double[] measured(
      Function<PartitionSettings, Partition> method, Graph graph, PartitionSettings settings) {
    long start = System.nanoTime();
    Partition partition = method.apply(settings);
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

  private void streaming(String name, Graph graph, int parts, ThreadTeam team) {
    double[] figures =
        measured(whole(new StreamingPartitioner(), graph, team), graph, settings(parts, 0));
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
