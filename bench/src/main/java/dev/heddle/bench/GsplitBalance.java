package dev.heddle.bench;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.partition.SampledPartitioner;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampledWeights;
import dev.heddle.graph.wordnet.WordNet;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.SplittableRandom;

/**
 * How even the work of batches is among owners, and how much crosses, by presampled weights and by
 * partitions that know nothing of samples; 2 % of the vertices are for training and lie around a
 * few places.
 */
final class GsplitBalance {
  private static final int PARTS = 4;
  private static final int BATCH = 1024;
  private static final int PRESAMPLED = 5;
  private static final double TRAINING = 0.02;
  private static final SampleSettings SAMPLING = SampleSettings.neighbours(15, 10, 5);

  static final String GRAPHS =
      "npm-deps,wordnet,40k-4-200-1,40k-2-200-1,100k-8-1000-1,100k-8-1000-2,100k-2-50-1,100k-2-50-2";

  private final Options options;
  private final CsvFile csv;

  GsplitBalance(Options options, Path results) throws IOException {
    this.options = options;
    csv =
        CsvFile.create(
            results.resolve("gsplit-balance.csv"),
            "graph",
            "owners",
            "imbalance",
            "imbalance of a batch",
            "crossing arcs",
            "rows sent per row",
            "seconds");
  }

  void run() throws IOException {
    for (String name : options.word("balance-graphs", GRAPHS).split(",", -1)) {
      try (ThreadTeam team = ThreadTeam.of(2);
          Graph graph = open(name, team)) {
        // A place for every eighth of a percent.
        int[] train = ClusteredTrain.of(graph.in(), TRAINING, 16, 1);
        measure(name, graph, train, team);
      }
    }
  }

  /** {@code 40k-4-200-1}: generated, thousands of vertices, classes, communities, seed. */
  private Graph open(String name, ThreadTeam team) {
    if (name.equals("wordnet")) {
      return WordNet.read().graph();
    }
    String[] words = name.split("-", -1);
    if (words.length != 4) {
      return Graph.open(Path.of(options.word("data", "../shared/data")).resolve(name));
    }
    return CommunityGraph.of(1000 * Integer.parseInt(words[0].replace("k", "")))
        .averageDegree(12)
        .classes(Integer.parseInt(words[1]))
        .communities(Integer.parseInt(words[2]))
        .homophily(0.95)
        .width(2)
        .seed(Long.parseLong(words[3]))
        .generate(team);
  }

  private void measure(String name, Graph graph, int[] train, ThreadTeam team) throws IOException {
    long began = System.nanoTime();
    Partition presampled = presampled(graph, train, team);
    row(name, "presampled", graph, train, presampled, began);
    for (Constraint constraint : new Constraint[] {Constraint.VERTICES, Constraint.ARCS}) {
      began = System.nanoTime();
      PartitionSettings balanced =
          PartitionSettings.of(PARTS).withConstraints(EnumSet.of(constraint));
      Partition made = new MultilevelPartitioner().partition(graph, balanced, team);
      String label = constraint == Constraint.VERTICES ? "vertices" : "edges";
      row(name, label, graph, train, made, began);
    }
    began = System.nanoTime();
    SplittableRandom random = new SplittableRandom(1);
    int[] parts = random.ints(graph.vertices(), 0, PARTS).toArray();
    row(name, "random", graph, train, Partition.of(PARTS, parts), began);
  }

  private static Partition presampled(Graph graph, int[] train, ThreadTeam team) {
    try (Memory memory = new Memory()) {
      SampledWeights weights =
          SampledWeights.of(graph.in(), train, BATCH, SAMPLING, false, PRESAMPLED, 1, team, memory);
      return SampledPartitioner.partition(
          graph.in(), weights.times(), weights.loads(), PartitionSettings.of(PARTS), team);
    }
  }

  private void row(String name, String owners, Graph graph, int[] train, Partition made, long began)
      throws IOException {
    double seconds = (System.nanoTime() - began) * 1e-9;
    SampledCost cost = SampledCost.of(graph, train, BATCH, SAMPLING, made);
    csv.add(name, owners, cost.imbalance(), cost.ofBatch(), cost.crossing(), cost.rows(), seconds);
  }
}
