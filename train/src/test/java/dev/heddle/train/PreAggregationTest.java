package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Link;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.train.halo.WidthReport;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Workers that sum rows for each other before these travel. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PreAggregationTest {
  private static final int HIDDEN = 24;
  private static final int WIDTH = 12;
  private static final int CLASSES = 3;

  private static final Knobs PLAIN = Knobs.DEFAULT;
  private static final Knobs SUMMED = PLAIN.withCodec(RowCodec.FP32.withPreAggregate(true));

  static Stream<Arguments> models() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : ModelKind.values()) {
      if (kind.aggregation() != null) {
        for (int workers : new int[] {2, 3, 4}) {
          cases.add(Arguments.of(kind, workers));
        }
      }
    }
    return cases.stream();
  }

  /** What the workers came to together; the last epoch's bytes are of each. */
  @SuppressWarnings("ArrayRecordComponent") // Compared one by one.
  private record Ended(
      float[][] output,
      List<float[][]> gradients,
      double[] losses,
      Scores scores,
      long[] epochBytes,
      long[] expectedBytes,
      long rows,
      List<WidthReport> widths) {}

  /** How to train: the rest is the case's. */
  private record How(Knobs knobs, boolean cached, int threads, int epochs) {}

  private static Ended train(ModelSpec spec, Graph graph, Partition owners, How how) {
    int k = owners.parts();
    float[][] output = new float[graph.vertices()][];
    List<float[][]> gradients = new ArrayList<>();
    double[] losses = new double[how.epochs];
    Scores[] scores = new Scores[1];
    long[] bytes = new long[k];
    long[] expected = new long[k];
    long[] rows = new long[k];
    List<WidthReport> widths = new ArrayList<>();
    TrainSettings settings =
        TrainSettings.builder()
            .seed(3)
            .cacheConstants(how.cached)
            .threads(how.threads)
            .knobs(how.knobs)
            .build();
    LocalWorkers.run(
        k,
        GroupSettings.DEFAULT.withLink(new Link(100e6, 0)),
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(how.threads)) {
            try (LocalGraph share =
                LocalGraph.of(graph, new Worker(group, owners, team, memory), how.knobs)) {
              Model model = Model.create(spec, share.shape(), memory, 1);
              LoopRun trainer = LoopRun.of(share, model, settings);
              Matrix predicted = trainer.predict();
              for (int row = 0; row < share.part().vertices(); row++) {
                output[share.part().vertex(row)] = new float[predicted.cols()];
                for (int c = 0; c < predicted.cols(); c++) {
                  output[share.part().vertex(row)][c] = predicted.get(row, c);
                }
              }
              for (int epoch = 1; epoch <= how.epochs; epoch++) {
                Traffic before = group.traffic();
                double loss = trainer.epoch(epoch);
                bytes[group.rank()] = group.traffic().since(before).of(Kind.HALO).bytes();
                if (group.rank() == 0) {
                  losses[epoch - 1] = loss;
                }
              }
              rows[group.rank()] = LoopRun.halo(share).layout().sentRows();
              expected[group.rank()] = expectedBytes(share, how);
              Scores scored = trainer.evaluate();
              List<WidthReport> counted = share.haloReport().widths();
              if (group.rank() == 0) {
                scores[0] = scored;
                widths.addAll(counted);
                model.parameters().all().stream()
                    .map(Parameter::grad)
                    .map(Matrix::toArray)
                    .forEach(gradients::add);
              }
            }
          }
        });
    long sent = Arrays.stream(rows).sum();
    return new Ended(output, gradients, losses, scores[0], bytes, expected, sent, widths);
  }

  /** Of a GCN of three layers: features if they are not kept, hidden rows, classes. */
  private static long expectedBytes(LocalGraph share, How how) {
    CodecKind codec = how.knobs.codec().kind();
    long back = rowBytes(codec, HIDDEN) + rowBytes(codec, CLASSES);
    long there = back + (how.cached ? 0 : rowBytes(codec, WIDTH));
    return there * LoopRun.halo(share).layout().sentRows()
        + back * LoopRun.halo(share).layout().receivedRows();
  }

  private static long rowBytes(CodecKind codec, int cols) {
    return codec.rounds() ? 4 + (cols * codec.bits() + 7) / 8 : 4L * cols;
  }

  private static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(kind == ModelKind.SGC ? 2 : 3)
        .hidden(HIDDEN)
        .dropout(0.2f)
        .norm(kind == ModelKind.GCN ? NormKind.LAYER : NormKind.NONE)
        .build();
  }

  /**
   * Outputs and gradients are those of rows that travel one by one, to 1e-6: the norm of the
   * difference over the norm. The seed is fixed, because a value next to a ReLU's kink may fall to
   * either side, and then the gradient is another one.
   */
  @ParameterizedTest
  @MethodSource("models")
  void sameAsRowsOneByOne(ModelKind kind, int workers) {
    for (boolean cached : new boolean[] {true, false}) {
      SplittableRandom random = new SplittableRandom(17L * workers + kind.label().length());
      try (Graph unweighted = ParallelCase.randomGraph(random, !cached)) {
        Graph graph = cached ? unweighted : weighted(random, unweighted);
        Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
        Ended plain = train(spec(kind), graph, owners, new How(PLAIN, cached, 1, 1));
        Ended summed = train(spec(kind), graph, owners, new How(SUMMED, cached, 1, 1));
        assertThat(summed.rows).isLessThan(plain.rows);
        assertClose(summed.output, plain.output);
        assertThat(summed.losses[0]).isCloseTo(plain.losses[0], within(1e-6 * plain.losses[0]));
        for (int p = 0; p < plain.gradients.size(); p++) {
          assertClose(summed.gradients.get(p), plain.gradients.get(p));
        }
      }
    }
  }

  /** A graph with weights of arcs added, in the memory of the first. */
  private static Graph weighted(SplittableRandom random, Graph graph) {
    MemorySegment weights = graph.memory().allocateFloats(graph.arcs());
    for (long arc = 0; arc < graph.arcs(); arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, 0.5f + random.nextInt(4));
    }
    return Graph.builder(graph.memory(), graph.name(), graph.in().withWeights(weights))
        .features(TrainableGraph.features(graph))
        .labels(TrainableGraph.labels(graph))
        .split(graph.split())
        .build();
  }

  private static void assertClose(float[][] is, float[][] should) {
    double difference = 0;
    double norm = 0;
    for (int r = 0; r < should.length; r++) {
      for (int c = 0; c < should[r].length; c++) {
        difference += Math.pow((double) is[r][c] - should[r][c], 2);
        norm += Math.pow(should[r][c], 2);
      }
    }
    assertThat(Math.sqrt(difference)).isLessThanOrEqualTo(1e-6 * Math.sqrt(norm));
  }

  /** Whatever the graph: ten epochs as one worker alone has them. */
  @ParameterizedTest
  @EnumSource(
      names = {"GAT", "GATV2", "SAGE_POOL", "MLP"},
      mode = EnumSource.Mode.EXCLUDE)
  void trainsLikeOneWorker(ModelKind kind) throws IOException {
    SplittableRandom random = TestSeed.random(this);
    int workers = random.nextInt(2, 6);
    try (ParallelCase plain = ParallelCase.random(random, kind, workers)) {
      ParallelCase what =
          new ParallelCase(
              plain.spec(), plain.graph(), plain.owners(), plain.settings().withKnobs(SUMMED));
      what.assertTrainsLikeOneWorker(workers);
    }
  }

  /** Rows and sums × what a row takes, there and back; features travel before the first epoch. */
  @ParameterizedTest
  @EnumSource(
      names = {"ADAPTIVE", "RANDOM"},
      mode = EnumSource.Mode.EXCLUDE)
  void sendsWhatTheFormulaSays(CodecKind codec) {
    SplittableRandom random = TestSeed.random(this);
    Knobs knobs =
        Knobs.DEFAULT
            .withCodec(RowCodec.of(codec).withPreAggregate(true))
            .withOverlap(random.nextBoolean());
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      for (boolean cached : new boolean[] {true, false}) {
        Ended ended = train(spec(ModelKind.GCN), graph, owners, new How(knobs, cached, 1, 2));
        assertThat(ended.epochBytes).isEqualTo(ended.expectedBytes);
      }
      // All that SGC sends is of features that do not change: nothing, once that is done.
      Ended kept = train(spec(ModelKind.SGC), graph, owners, new How(knobs, true, 1, 2));
      assertThat(kept.epochBytes).containsOnly(0);
    }
  }

  /** Bits do not depend on the number of threads, nor on waiting. */
  @ParameterizedTest
  @EnumSource(
      names = {"GCN", "SAGE", "GIN", "RESGCN"},
      mode = EnumSource.Mode.INCLUDE)
  void sameBitsHoweverItIsTimed(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    boolean cached = random.nextBoolean();
    try (Graph graph = SmallGraph.of(1300, WIDTH, random.nextLong())) {
      Partition owners = Partition.of(2, random.ints(1300, 0, 2).toArray());
      for (CodecKind codec : new CodecKind[] {CodecKind.FP32, CodecKind.BITS4}) {
        Knobs waiting = Knobs.DEFAULT.withCodec(RowCodec.of(codec).withPreAggregate(true));
        Knobs hidden =
            Knobs.DEFAULT.withCodec(RowCodec.of(codec).withPreAggregate(true)).withOverlap(true);
        Ended one = train(spec(kind), graph, owners, new How(waiting, cached, 1, 4));
        Ended two = train(spec(kind), graph, owners, new How(hidden, cached, 2, 4));
        assertThat(two.losses).isEqualTo(one.losses);
        assertThat(two.scores).isEqualTo(one.scores);
        assertThat(two.losses[3]).isLessThan(two.losses[0]);
      }
    }
  }

  /** Every row and sum gets a width, there and back, and losses fall. */
  @Test
  void widthsAreChosenForSumsToo() {
    SplittableRandom random = TestSeed.random(this);
    Knobs knobs =
        Knobs.DEFAULT
            .withCodec(
                RowCodec.of(CodecKind.ADAPTIVE)
                    .withAdaptation(new Adaptation(2, 0.5, 10))
                    .withPreAggregate(true))
            .withOverlap(true);
    try (Graph graph = SmallGraph.of(400, WIDTH, random.nextLong())) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      Ended ended = train(spec(ModelKind.SAGE), graph, owners, new How(knobs, true, 1, 6));
      // Of the first epoch and three choices, two values there and back.
      assertThat(ended.widths).hasSize(4 * 2 * 2);
      for (WidthReport report : ended.widths) {
        assertThat(report.bits2() + report.bits4() + report.bits8()).isEqualTo(ended.rows);
      }
      assertThat(ended.losses[5]).isLessThan(ended.losses[0]);
    }
  }
}
