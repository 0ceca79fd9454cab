package dev.heddle.train.plan;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Training on the whole graph takes and sends what was planned, of every kind, at every worker. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FullGraphPlanTest {
  private static final int VERTICES = 1500;
  private static final int EPOCHS = 5;
  private static final int EVALUATE_EVERY = 2;

  /** After epochs 2, 4 and 5. */
  private static final int EVALUATIONS = 3;

  private static Graph graph;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(2)) {
      graph =
          CommunityGraph.of(VERTICES)
              .averageDegree(8)
              .communities(8)
              .classes(4)
              .width(24)
              .seed(7)
              .generate(team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  /** Ways for rows to travel, as {@link #knobs} reads them. */
  private static final List<String> WAYS =
      List.of(
          "fp32",
          "fp32 overlap",
          "bits2 overlap",
          "bits8",
          "bits8 delta",
          "fp32 sums",
          "bits4 sums",
          "fp32 halves");

  private static Knobs knobs(String way) {
    String[] words = way.split(" ", -1);
    RowCodec codec = RowCodec.of(CodecKind.valueOf(words[0].toUpperCase(Locale.ROOT)));
    return Knobs.DEFAULT
        .withCodec(codec.withDelta(way.endsWith("delta")).withPreAggregate(way.endsWith("sums")))
        .withOverlap(way.endsWith("overlap"))
        .withSync(Sync.everyStep(way.endsWith("halves")));
  }

  /** Attention weighs neighbours one by one. */
  private static boolean suits(ModelKind kind, Knobs knobs) {
    return !kind.attention() || (!knobs.codec().kind().rounds() && !knobs.codec().preAggregate());
  }

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind :
        new ModelKind[] {ModelKind.GCN, ModelKind.SAGE, ModelKind.GAT, ModelKind.GCNII}) {
      for (int workers : new int[] {1, 2, 4}) {
        List<String> ways = WAYS.subList(0, workers == 1 ? 1 : WAYS.size());
        for (String way : ways) {
          if (suits(kind, knobs(way))) {
            cases.add(Arguments.of(kind, workers, way));
          }
        }
      }
    }
    return cases.stream();
  }

  private static ModelSpec spec(ModelKind kind, NormKind norm) {
    return ModelSpec.of(kind)
        .layers(3)
        .hidden(40)
        .heads(4)
        .outputHeads(2)
        .dropout(0.3f)
        .norm(norm)
        .build();
  }

  private static TrainSettings settings(Knobs knobs, boolean cached) {
    return TrainSettings.builder()
        .epochs(EPOCHS)
        .evaluateEvery(EVALUATE_EVERY)
        .learningRate(1e-3f)
        .threads(1)
        .cacheConstants(cached)
        .knobs(knobs)
        .build();
  }

  /** Some workers have more than others. */
  private static Partition owners(int workers) {
    SplittableRandom random = new SplittableRandom(11);
    return Partition.of(
        workers,
        random.ints(VERTICES, 0, workers + 1).map(part -> Math.max(0, part - 1)).toArray());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isWhatHappens(ModelKind kind, int workers, String way) {
    boolean cached = !way.endsWith("overlap");
    check(spec(kind, NormKind.NONE), settings(knobs(way), cached), workers);
  }

  /** Statistics of batch norm are summed too. */
  @ParameterizedTest
  @MethodSource("norms")
  void countsSumsOfStatistics(NormKind norm, String metric) {
    check(
        spec(ModelKind.SAGE, norm),
        TrainSettings.builder()
            .epochs(EPOCHS)
            .evaluateEvery(EVALUATE_EVERY)
            .threads(1)
            .clipNorm(1)
            .metric(Metric.named(metric))
            .build(),
        3);
  }

  static Stream<Arguments> norms() {
    return Stream.of(
        Arguments.of(NormKind.BATCH, "f1-macro"), Arguments.of(NormKind.LAYER, "accuracy"));
  }

  private static void check(ModelSpec spec, TrainSettings settings, int workers) {
    new PlanCheck(graph, spec, settings, EVALUATIONS).check(workers, owners(workers));
  }
}
