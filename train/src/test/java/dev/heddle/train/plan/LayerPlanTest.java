package dev.heddle.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Sent;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.Training;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.LayerSplit.Initial;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Stages of layers take and send what was planned, of every kind, at every worker. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LayerPlanTest {
  private static final int VERTICES = 1500;
  private static final int HIDDEN = 40;
  private static final int LAYERS = 6;

  /** After epochs 2 and 3. */
  private static final int EVALUATIONS = 2;

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

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind :
        new ModelKind[] {
          ModelKind.GCN, ModelKind.SAGE, ModelKind.GAT, ModelKind.GCNII, ModelKind.RESGCN
        }) {
      cases.add(Arguments.of(kind, 3, 1, CodecKind.FP32, Initial.SENT, Compensation.NONE));
      cases.add(Arguments.of(kind, 2, 2, CodecKind.FP32, Initial.MADE, Compensation.CARRIED));
    }
    cases.add(Arguments.of(ModelKind.GCN, 1, 1, CodecKind.FP32, Initial.AUTO, Compensation.NONE));
    cases.add(Arguments.of(ModelKind.SAGE, 1, 3, CodecKind.BITS4, Initial.AUTO, Compensation.NONE));
    cases.add(
        Arguments.of(ModelKind.GCNII, 2, 2, CodecKind.BITS8, Initial.SENT, Compensation.DOUBLE));
    cases.add(
        Arguments.of(ModelKind.RESGCN, 3, 1, CodecKind.BITS2, Initial.AUTO, Compensation.CARRIED));
    cases.add(Arguments.of(ModelKind.APPNP, 2, 1, CodecKind.FP32, Initial.MADE, Compensation.NONE));
    return cases.stream();
  }

  private static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(LAYERS)
        .hidden(HIDDEN)
        .heads(4)
        .propagations(LAYERS)
        .dropout(0.3f)
        .norm(NormKind.LAYER)
        .build();
  }

  private static TrainSettings.Builder settings(LayerSplit split, CodecKind codec) {
    return TrainSettings.builder()
        .epochs(3)
        .evaluateEvery(2)
        .learningRate(1e-3f)
        .clipNorm(1)
        .threads(1)
        .knobs(Knobs.DEFAULT.withCodec(RowCodec.of(codec)).withLayers(split));
  }

  private static Partition ways(int ways) {
    int[] way = new int[VERTICES];
    Arrays.setAll(way, v -> v % 7 % ways);
    return Partition.of(ways, way);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isWhatHappens(
      ModelKind kind,
      int stages,
      int ways,
      CodecKind codec,
      Initial initial,
      Compensation compensation) {
    var split = new LayerSplit(stages, ways, 4, compensation, History.DEFAULT).withInitial(initial);
    TrainSettings settings = settings(split, codec).build();
    StrategyPlan plan =
        new PlanCheck(graph, spec(kind), settings, EVALUATIONS).check(split.workers(), ways(ways));
    if (codec == CodecKind.FP32 && kind != ModelKind.APPNP && kind != ModelKind.GAT) {
      long initials = kind == ModelKind.GCNII && initial == Initial.SENT ? HIDDEN : 0;
      assertThat(plan.epoch().of(Kind.BOUNDARY).bytes())
          .isEqualTo(2L * (stages - 1) * VERTICES * (HIDDEN + initials) * Float.BYTES);
    }
  }

  /**
   * A second forward in an epoch sends rows once more, and the plan says that it does not count.
   */
  @Test
  void saysWhatItDoesNotCount() {
    var split = new LayerSplit(1, 1, 4, Compensation.NONE, new History(23, 3));
    try (Training training =
        Training.of(graph, spec(ModelKind.GCN), settings(split, CodecKind.FP32).build())) {
      assertThat(training.plan().assumptions())
          .containsExactly(
              "epochs are taken to go forward once; every 3, by --forward-twice, sends its rows"
                  + " forward once more");
    }
  }

  /** Values would take most of it, and are not taken when they do not fit. */
  @Test
  void whatDoesNotFitIsRefusedBeforeItIsTaken() {
    var split = new LayerSplit(1, 1, 4, Compensation.NONE, History.DEFAULT);
    ModelSpec wide = ModelSpec.of(ModelKind.RESGCN).layers(24).hidden(128).build();
    long needed;
    try (Training training = Training.of(graph, wide, settings(split, CodecKind.FP32).build())) {
      needed = training.plan().largest().bytes();
    }
    TrainSettings tight = settings(split, CodecKind.FP32).memoryLimit(needed / 2).build();
    assertThatThrownBy(() -> Training.of(graph, wide, tight).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is for values and gradients: try fewer --hidden or --layers");
  }

  /** Nothing lasts of finding out, and what is found out is what a run plans. */
  @Test
  void dryRunsPlanWhatRunsDo() {
    var split = new LayerSplit(2, 1, 4, Compensation.NONE, History.DEFAULT);
    TrainSettings settings = settings(split, CodecKind.FP32).build();
    ModelSpec spec = spec(ModelKind.RESGCN);
    Partition whole = Partition.whole(VERTICES);
    Sent[] epochs = new Sent[2];
    try (Memory budget = new Memory()) {
      LocalWorkers.run(
          2,
          GroupSettings.DEFAULT,
          group -> {
            Sent dry = DryRun.of(budget, graph, spec, settings, group, whole).epoch();
            epochs[group.rank()] = dry;
            assertThat(planned(group, spec, settings, whole)).isEqualTo(dry);
          });
      assertThat(budget.bytes()).isZero();
    }
    assertThat(epochs[0]).isEqualTo(epochs[1]);
  }

  private static Sent planned(
      Group group, ModelSpec spec, TrainSettings settings, Partition owners) {
    try (Training training = Training.of(graph, spec, settings, group, owners)) {
      Sent epoch = training.plan().epoch();
      group.barrier();
      return epoch;
    }
  }
}
