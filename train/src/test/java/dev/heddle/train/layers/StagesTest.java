package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Step;
import dev.heddle.train.LoopRun;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.LayerSplit.Initial;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stages that each have some layers come to what one worker of all layers comes to. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StagesTest {
  private static final int VERTICES = 200;
  private static final int CHUNKS = 5;
  private static final int HIDDEN = 8;

  private static Graph graph;

  @BeforeAll
  static void generate() {
    graph = LayerCase.graph(VERTICES, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static ModelSpec model(ModelKind kind, int layers) {
    return ModelSpec.of(kind)
        .layers(layers)
        .hidden(HIDDEN)
        .heads(2)
        .propagations(layers)
        .dropout(0.4f)
        .inputDropout(0.2f)
        .norm(NormKind.LAYER)
        .build();
  }

  private static TrainSettings settings(int stages, int chunks) {
    var split =
        new LayerSplit(stages, 1, chunks, Compensation.NONE, new History(2, 3))
            .withInitial(Initial.SENT);
    return LayerCase.settings(split).clipNorm(0.5f).weightDecay(1e-3f).build();
  }

  /** What training came to; parameters as those say that have them. */
  record Ended(List<Double> losses, Scores scores, Map<String, List<List<Float>>> parameters) {}

  /** Trains with a thread for each worker. */
  private static Ended train(ModelSpec spec, TrainSettings settings, int epochs) {
    LayerSplit split = Objects.requireNonNull(settings.layers());
    Partition owners = LayerDivision.owners(Partition.whole(VERTICES), split);
    Map<Integer, Ended> ended = new ConcurrentHashMap<>();
    Map<String, List<List<Float>>> parameters = new ConcurrentHashMap<>();
    LocalWorkers.run(
        split.workers(),
        GroupSettings.DEFAULT,
        group ->
            ended.put(group.rank(), asOneOf(group, owners, spec, settings, epochs, parameters)));
    Ended first = Objects.requireNonNull(ended.get(0));
    assertThat(ended.values()).allMatch(e -> e.losses.equals(first.losses));
    assertThat(ended.values()).allMatch(e -> e.scores.equals(first.scores));
    return new Ended(first.losses, first.scores, new TreeMap<>(parameters));
  }

  private static Ended asOneOf(
      Group group,
      Partition owners,
      ModelSpec spec,
      TrainSettings settings,
      int epochs,
      Map<String, List<List<Float>>> parameters) {
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1);
        LocalGraph local = LocalGraph.ofOutputs(graph, new Worker(group, owners, team, memory))) {
      Model model = Model.create(spec, local.shape(), memory, settings.seed());
      LoopRun loop = LoopRun.of(local, model, settings);
      List<Double> losses = new ArrayList<>();
      for (int epoch = 1; epoch <= epochs; epoch++) {
        losses.add(loop.epoch(epoch));
      }
      Scores scores = loop.evaluate();
      ParameterPlacement placement = loop.placement();
      for (Parameter parameter : placement.answersFor()) {
        parameters.put(parameter.name(), values(parameter));
      }
      group.barrier();
      return new Ended(losses, scores, Map.of());
    }
  }

  private static List<List<Float>> values(Parameter parameter) {
    List<List<Float>> rows = new ArrayList<>();
    for (float[] row : parameter.value().toArray()) {
      List<Float> values = new ArrayList<>();
      for (float x : row) {
        values.add(x);
      }
      rows.add(values);
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource(
      value = ModelKind.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SGC"})
  void comeToTheBitsOfOneStage(ModelKind kind) {
    ModelSpec spec = model(kind, 4);
    Ended one = train(spec, settings(1, CHUNKS), 5);
    assertThat(train(spec, settings(2, CHUNKS), 5)).isEqualTo(one);
    assertThat(train(spec, settings(3, CHUNKS), 5)).isEqualTo(one);
  }

  /** A single chunk is exact at any number of stages. */
  @Test
  void oneChunkIsTheWholeGraph() {
    ModelSpec spec = model(ModelKind.RESGCN, 4);
    assertThat(train(spec, settings(4, 1), 4)).isEqualTo(train(spec, settings(1, 1), 4));
  }

  /** The formula: {@code 2 (S − 1) N (H + H') · 4}, whatever the layers and chunks. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void sendsWhatTheFormulaSays(int stages) {
    for (ModelKind kind : new ModelKind[] {ModelKind.GCN, ModelKind.GCNII, ModelKind.RESGCN}) {
      for (int layers : new int[] {6, 9}) {
        ModelSpec spec = model(kind, layers);
        for (Initial how : new Initial[] {Initial.SENT, Initial.MADE}) {
          assertSends(stages, kind, spec, how);
        }
      }
    }
  }

  private static void assertSends(int stages, ModelKind kind, ModelSpec spec, Initial how) {
    var split =
        new LayerSplit(stages, 1, CHUNKS, Compensation.NONE, History.DEFAULT).withInitial(how);
    TrainSettings settings = LayerCase.settings(split).build();
    long[] training = new long[stages];
    long[] evaluation = new long[stages];
    Partition owners = LayerDivision.owners(Partition.whole(VERTICES), split);
    LocalWorkers.run(
        stages,
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              LocalGraph local =
                  LocalGraph.ofOutputs(graph, new Worker(group, owners, team, memory))) {
            Model model = Model.create(spec, local.shape(), memory, 1);
            LoopRun loop = LoopRun.of(local, model, settings);
            double _ = loop.epoch(1);
            Traffic before = group.traffic();
            double _ = loop.epoch(2);
            Traffic after = group.traffic();
            Scores _ = loop.evaluate();
            training[group.rank()] = after.since(before).of(Kind.BOUNDARY).bytes();
            evaluation[group.rank()] = group.traffic().since(after).of(Kind.EVALUATION).bytes();
            group.barrier();
          }
        });
    long initial = kind == ModelKind.GCNII && how == Initial.SENT ? HIDDEN : 0;
    long formula = 2L * (stages - 1) * VERTICES * (HIDDEN + initial) * 4;
    assertThat(Arrays.stream(training).sum()).isEqualTo(formula);
    assertThat(Arrays.stream(evaluation).sum()).isEqualTo(formula / 2);
  }

  /** What stages make anew is what would be sent, and so are its gradients but for their order. */
  @Test
  void whatIsMadeAnewIsWhatWouldBeSent() {
    ModelSpec spec = model(ModelKind.GCNII, 6);
    Ended sent = train(spec, settings(3, CHUNKS), 5);
    LayerSplit made =
        Objects.requireNonNull(settings(3, CHUNKS).layers()).withInitial(Initial.MADE);
    TrainSettings settings = settings(3, CHUNKS).withKnobs(Knobs.DEFAULT.withLayers(made));
    Ended again = train(spec, settings, 5);
    for (int epoch = 0; epoch < 5; epoch++) {
      assertThat(again.losses.get(epoch)).isCloseTo(sent.losses.get(epoch), within(1e-5));
    }
    assertThat(train(spec, settings, 5)).isEqualTo(again);
  }

  @Test
  void moreStagesThanSectionsAreRefused() {
    ModelSpec spec = model(ModelKind.GCN, 3);
    assertThatThrownBy(() -> train(spec, settings(4, CHUNKS), 1))
        .rootCause()
        .hasMessage("gcn of 3 layers can be cut into 3 stages at most: use fewer --stages than 4");
  }

  @Test
  void cutsCostAsLittleAsCanBe() {
    double[] costs = {5, 1, 1, 1, 6, 2};
    assertThat(StageCut.best(costs, 2).toArray()).containsExactly(0, 4, 6);
    assertThat(StageCut.best(costs, 3).toArray()).containsExactly(0, 3, 5, 6);
    assertThat(StageCut.best(costs, 6).toArray()).containsExactly(0, 1, 2, 3, 4, 5, 6);
  }

  /**
   * A stage goes on while the next one has its rows: the last chunk of the first stage waits for
   * the first chunk of the last stage, and back the other way round; nobody would come to an end if
   * one stage waited for all chunks of another. Chunks go back in the reverse order.
   */
  @Test
  void stagesWorkAtOneTimeAndGoBackInReverse() {
    int stages = 3;
    ModelSpec spec = model(ModelKind.RESGCN, 4);
    TrainSettings settings = settings(stages, CHUNKS);
    LayerSplit split = Objects.requireNonNull(settings.layers());
    Partition owners = LayerDivision.owners(Partition.whole(VERTICES), split);
    CountDownLatch lastHasBegun = new CountDownLatch(1);
    CountDownLatch firstHasGoneBack = new CountDownLatch(1);
    List<List<Integer>> there = new ArrayList<>();
    List<List<Integer>> back = new ArrayList<>();
    for (int stage = 0; stage < stages; stage++) {
      there.add(new ArrayList<>());
      back.add(new ArrayList<>());
    }
    LocalWorkers.run(
        stages,
        GroupSettings.DEFAULT,
        group -> {
          int stage = group.rank();
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              LocalGraph local =
                  LocalGraph.ofOutputs(graph, new Worker(group, owners, team, memory))) {
            Model model = Model.create(spec, local.shape(), memory, 1);
            LayerPipeline pipeline =
                LayerPipeline.of(local, model, settings, Partition.whole(VERTICES));
            pipeline
                .programs()
                .watch(
                    new ChunkPrograms.Watcher() {
                      @Override
                      public void begins(boolean forward, int chunk) {
                        List<Integer> gone = (forward ? there : back).get(stage);
                        if (forward && stage == 0 && gone.size() == CHUNKS - 1) {
                          await(lastHasBegun);
                        }
                        if (!forward && stage == stages - 1 && gone.size() == CHUNKS - 1) {
                          await(firstHasGoneBack);
                        }
                        gone.add(chunk);
                      }

                      @Override
                      public void ended(boolean forward, int chunk) {
                        if (forward && stage == stages - 1) {
                          lastHasBegun.countDown();
                        }
                        if (!forward && stage == 0) {
                          firstHasGoneBack.countDown();
                        }
                      }
                    });
            LayerSteps steps = (LayerSteps) pipeline.steps();
            int _ = steps.begin(1);
            double _ = steps.run(team, new Step(1).train(1, 0));
            group.barrier();
          }
        });
    List<Integer> order = there.get(0);
    assertThat(order).hasSize(CHUNKS).doesNotHaveDuplicates();
    for (int stage = 0; stage < stages; stage++) {
      assertThat(there.get(stage)).isEqualTo(order);
      assertThat(back.get(stage)).isEqualTo(order.reversed());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).as("stages wait for each other").isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
