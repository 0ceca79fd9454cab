package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
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
import dev.heddle.kernel.Workers;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several workers train as one does: the same losses, gradients and scores, whatever the model and
 * however the graph is cut.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GraphParallelTest {
  private static final int EPOCHS = 10;

  /** Everything that must not depend on how many workers there are. */
  record Outcome(List<Double> losses, List<Scores> scores, List<float[][]> gradients) {}

  static Stream<Arguments> models() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : ModelKind.values()) {
      for (int workers : new int[] {2, 3, 4, 7}) {
        cases.add(Arguments.of(kind, workers));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("models")
  void trainsLikeOneWorker(ModelKind kind, int workers) {
    SplittableRandom random = TestSeed.random(this);
    boolean sparse = random.nextBoolean();
    ModelSpec spec =
        ModelSpec.of(kind)
            .layers(kind == ModelKind.SGC ? 2 : 3)
            .hidden(random.nextBoolean() ? 8 : 24)
            .heads(4)
            .dropout(0.3f)
            .inputDropout(random.nextBoolean() ? 0.2f : 0)
            .attentionDropout(kind.attention() ? 0.2f : 0)
            .norm(kind == ModelKind.GCN ? NormKind.LAYER : NormKind.NONE)
            .build();
    try (Graph graph = randomGraph(random, sparse)) {
      Partition owners = randomOwners(random, graph.vertices(), workers);
      TrainSettings settings = settings(random.nextBoolean());
      Outcome alone = alone(graph, spec, settings);
      for (Outcome each : together(graph, spec, settings, owners)) {
        // Sums over a hub, three layers deep, magnify what rounding decides at the kink of a ReLU.
        assertSame(each, alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
      }
    }
  }

  /** The formula: rows sent × width × 4, there and back, for each layer that needs a gradient. */
  @Test
  void sendsWhatTheFormulaSays() {
    SplittableRandom random = TestSeed.random(this);
    int k = 4;
    int hidden = 24;
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(3).hidden(hidden).dropout(0).build();
    try (Graph graph = randomGraph(random, false)) {
      Partition owners = randomOwners(random, graph.vertices(), k);
      for (boolean cached : new boolean[] {true, false}) {
        long[] expected = new long[k];
        long[] sent = new long[k];
        LocalWorkers.run(
            k,
            GroupSettings.DEFAULT,
            group -> {
              try (Memory memory = new Memory();
                  Workers threads = Workers.of(1);
                  PartOfGraph share =
                      PartOfGraph.of(
                          graph,
                          new Team(group, owners),
                          new FullGraphTrainer.Place(threads, memory),
                          HaloSettings.DEFAULT)) {
                Model model = Model.create(spec, share.shape(), memory, 1);
                TrainSettings settings =
                    TrainSettings.builder().threads(1).cacheConstants(cached).build();
                FullGraphTrainer trainer =
                    new FullGraphTrainer(
                        share, model, settings, new FullGraphTrainer.Place(threads, memory));
                double _ = trainer.epoch(1);
                Traffic before = group.traffic();
                double _ = trainer.epoch(2);
                sent[group.rank()] = group.traffic().since(before).of(Kind.HALO).bytes();
                // Features of width 12 every epoch where they are not kept; layers of 24 and then
                // of 3 classes, both there and back.
                long there = (cached ? 0L : 12L) + hidden + 3;
                long back = hidden + 3L;
                expected[group.rank()] =
                    4 * (there * share.sentRows() + back * receivedRows(share));
              }
            });
        assertThat(sent).isEqualTo(expected);
      }
    }
  }

  private static long receivedRows(PartOfGraph share) {
    return (long) share.part().sources() - share.part().vertices();
  }

  private static TrainSettings settings(boolean cached) {
    // Small steps without momentum or moments: differences of rounding stay as small as they are.
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .learningRate(0.005f)
        .threads(1)
        .seed(3)
        .cacheConstants(cached)
        .metric(Metric.named("f1-macro"))
        .build();
  }

  private static Outcome alone(Graph graph, ModelSpec spec, TrainSettings settings) {
    try (Memory memory = new Memory();
        Workers threads = Workers.of(1)) {
      return train(
          WholeGraph.of(graph), spec, settings, new FullGraphTrainer.Place(threads, memory));
    }
  }

  private static List<Outcome> together(
      Graph graph, ModelSpec spec, TrainSettings settings, Partition owners) {
    Outcome[] outcomes = new Outcome[owners.parts()];
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              Workers threads = Workers.of(1)) {
            var place = new FullGraphTrainer.Place(threads, memory);
            try (PartOfGraph share =
                PartOfGraph.of(graph, new Team(group, owners), place, settings.halo())) {
              outcomes[group.rank()] = train(share, spec, settings, place);
            }
          }
        });
    return List.of(outcomes);
  }

  private static Outcome train(
      Share share, ModelSpec spec, TrainSettings settings, FullGraphTrainer.Place place) {
    Model model = Model.create(spec, share.shape(), place.memory(), settings.seed());
    FullGraphTrainer trainer = new FullGraphTrainer(share, model, settings, place);
    List<Double> losses = new ArrayList<>();
    List<Scores> scores = new ArrayList<>();
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
      losses.add(trainer.epoch(epoch));
      scores.add(trainer.evaluate());
    }
    List<float[][]> gradients =
        model.parameters().all().stream().map(Parameter::grad).map(Matrix::toArray).toList();
    return new Outcome(losses, scores, gradients);
  }

  private static void assertSame(Outcome actual, Outcome expected, double tolerance) {
    for (int i = 0; i < EPOCHS; i++) {
      double loss = expected.losses().get(i);
      assertThat(actual.losses().get(i)).isCloseTo(loss, within(tolerance * Math.abs(loss)));
      // One of about a hundred vertices between two classes may fall to either side.
      assertThat(actual.scores().get(i).test())
          .isCloseTo(expected.scores().get(i).test(), within(0.03));
    }
    for (int p = 0; p < expected.gradients().size(); p++) {
      float[][] is = actual.gradients().get(p);
      float[][] should = expected.gradients().get(p);
      double largest = 1e-6;
      for (float[] row : should) {
        for (float g : row) {
          largest = Math.max(largest, Math.abs(g));
        }
      }
      for (int r = 0; r < should.length; r++) {
        for (int c = 0; c < should[r].length; c++) {
          assertThat((double) is[r][c]).isCloseTo(should[r][c], within(10 * tolerance * largest));
        }
      }
    }
  }

  /** Hubs, isolated vertices, loops and multi-arcs; some weights; arcs in one direction. */
  private static Graph randomGraph(SplittableRandom random, boolean sparse) {
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
        values.setAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, at++, rows[r][c]);
      }
    }
    return Csr.of(memory, rows[0].length, columns).withWeights(values);
  }

  /** Unequal parts; with more than two workers, one of them has nothing. */
  private static Partition randomOwners(SplittableRandom random, int n, int workers) {
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
