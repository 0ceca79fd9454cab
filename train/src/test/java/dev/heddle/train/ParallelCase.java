package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A model, a random graph and how it is cut: what several workers must train as one does. */
record ParallelCase(ModelSpec spec, Graph graph, Partition owners, TrainSettings settings)
    implements AutoCloseable {
  /** A case that depends on the random numbers alone, in whatever process. */
  static ParallelCase random(SplittableRandom random, ModelKind kind, int workers) {
    // Sums over a hub, layer by layer, would magnify whatever rounding there is.
    boolean normed = kind == ModelKind.GCN || kind == ModelKind.GIN;
    return random(random, kind, normed ? NormKind.LAYER : NormKind.NONE, workers);
  }

  static ParallelCase random(SplittableRandom random, ModelKind kind, NormKind norm, int workers) {
    boolean sparse = random.nextBoolean();
    ModelSpec spec =
        ModelSpec.of(kind)
            .layers(kind == ModelKind.SGC ? 2 : 3)
            .hidden(random.nextBoolean() ? 8 : 24)
            .heads(4)
            .dropout(0.3f)
            .inputDropout(random.nextBoolean() ? 0.2f : 0)
            .attentionDropout(kind.attention() ? 0.2f : 0)
            .norm(norm)
            .build();
    Graph graph = randomGraph(random, sparse);
    Partition owners = randomOwners(random, graph.vertices(), workers);
    boolean cached = random.nextBoolean();
    boolean overlap = random.nextBoolean();
    return new ParallelCase(spec, graph, owners, settings(cached, overlap));
  }

  private static TrainSettings settings(boolean cached, boolean overlap) {
    // Small steps without momentum or moments: differences of rounding stay as small as they are.
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .learningRate(0.001f)
        .threads(1)
        .seed(3)
        .cacheConstants(cached)
        .knobs(Knobs.DEFAULT.withOverlap(overlap))
        .metric(Metric.named("f1-macro"))
        .build();
  }

  /** What one worker makes of it, from parameters that are {@code nudge} apart. */
  Outcome alone(int nudge) {
    try (Memory memory = new Memory();
        ThreadTeam threads = ThreadTeam.of(1)) {
      Worker worker = Worker.alone(graph, threads, memory);
      return Outcome.of(LocalGraph.of(graph, worker, settings.knobs()), this, nudge);
    }
  }

  /** What one of several makes of it. */
  Outcome asOneOf(Group group) {
    try (Memory memory = new Memory();
        ThreadTeam threads = ThreadTeam.of(1)) {
      try (LocalGraph share =
          LocalGraph.of(graph, new Worker(group, owners, threads, memory), settings.knobs())) {
        return Outcome.of(share, this);
      }
    }
  }

  /** Checks that threads of that number come to what one worker comes to. */
  void assertTrainsLikeOneWorker(int workers) throws IOException {
    Outcome[] together = new Outcome[workers];
    LocalWorkers.run(
        workers, GroupSettings.DEFAULT, group -> together[group.rank()] = asOneOf(group));
    Outcome.assertLikeOneWorker(List.of(together), this);
  }

  @Override
  public void close() {
    graph.close();
  }

  /** Hubs, isolated vertices, loops and multi-arcs; some weights; arcs in one direction. */
  static Graph randomGraph(SplittableRandom random, boolean sparse) {
    int n = 150;
    Memory memory = new Memory();
    int[][] columns = new int[n][];
    for (int v = 0; v < n; v++) {
      int degree = v % 10 == 3 ? 0 : v == 5 ? 120 : random.nextInt(1, 8);
      columns[v] = IntStream.range(0, degree).map(_ -> random.nextInt(n)).sorted().toArray();
    }
    int[] classes = IntStream.range(0, n).map(_ -> random.nextInt(3)).toArray();
    float[][] rows = new float[n][12];
    for (int v = 0; v < n; v++) {
      for (int c = 0; c < 12; c++) {
        boolean zero = sparse && random.nextInt(3) > 0;
        rows[v][c] = zero ? 0 : (float) random.nextGaussian() + (c % 3 == classes[v] ? 1 : 0);
      }
    }
    int[][] parts = new int[3][];
    for (int p = 0; p < 3; p++) {
      int which = p;
      parts[p] = IntStream.range(0, n).filter(v -> v % 3 == which).toArray();
    }
    Features features =
        sparse
            ? SparseFeatures.of(memory, sparseRows(memory, rows))
            : new DenseFeatures(Matrix.of(memory, rows));
    return Graph.builder(memory, "random", Csr.of(memory, n, columns))
        .features(features)
        .labels(ClassLabels.of(memory, classes, 3))
        .split(new Split(parts[0], parts[1], parts[2]))
        .build();
  }

  private static Csr sparseRows(Memory memory, float[][] rows) {
    int[][] columns = new int[rows.length][];
    int total = 0;
    for (int r = 0; r < rows.length; r++) {
      float[] row = rows[r];
      columns[r] = IntStream.range(0, row.length).filter(c -> row[c] != 0).toArray();
      total += columns[r].length;
    }
    var values = memory.allocateFloats(total);
    long at = 0;
    for (int r = 0; r < rows.length; r++) {
      for (int c : columns[r]) {
        values.setAtIndex(JAVA_FLOAT, at++, rows[r][c]);
      }
    }
    return Csr.of(memory, rows[0].length, columns).withWeights(values);
  }

  /** Unequal parts; with more than two workers, one of them has nothing. */
  static Partition randomOwners(SplittableRandom random, int n, int workers) {
    int empty = workers > 2 ? random.nextInt(workers) : -1;
    int[] owner = new int[n];
    for (int v = 0; v < n; v++) {
      do {
        owner[v] = Math.min(random.nextInt(workers), random.nextInt(workers));
      } while (owner[v] == empty);
    }
    return Partition.of(workers, owner);
  }
}
