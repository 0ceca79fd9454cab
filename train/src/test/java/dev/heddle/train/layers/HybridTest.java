package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.train.LoopRun;
import dev.heddle.train.Training;
import dev.heddle.train.layers.ChunkedReference.Forward;
import dev.heddle.train.layers.ChunkedReference.Weights;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.Scores;
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
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stages of several workers that share the graph. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HybridTest {
  private static final int VERTICES = 240;
  private static final int WAYS = 2;
  private static final int HIDDEN = 8;

  private static Graph graph;
  private static Partition ways;

  @BeforeAll
  static void generate() {
    graph = LayerCase.graph(VERTICES, 4);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      ways = new MultilevelPartitioner().partition(graph, PartitionSettings.of(WAYS), team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static ModelSpec.Builder model(ModelKind kind) {
    return ModelSpec.of(kind).layers(4).hidden(HIDDEN).heads(2).propagations(4).dropout(0.3f);
  }

  private static TrainSettings settings(int stages, int chunks, Knobs travel) {
    var split =
        new LayerSplit(stages, WAYS, chunks, Compensation.NONE, new History(2, 3))
            .withInitial(Initial.SENT);
    return LayerCase.settings(split).clipNorm(0.5f).knobs(travel.withLayers(split)).build();
  }

  /** One worker's part of a run. */
  private record Part(Model model, LoopRun loop, LocalGraph local) {}

  /** What each worker makes of it, by rank. */
  private static <T> List<T> each(
      ModelSpec spec, TrainSettings settings, BiFunction<Part, dev.heddle.comm.Group, T> work) {
    LayerSplit split = Objects.requireNonNull(settings.layers());
    Partition owners = LayerDivision.owners(ways, split);
    var made = new ConcurrentHashMap<Integer, T>();
    LocalWorkers.run(
        split.workers(),
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              LocalGraph local =
                  LocalGraph.ofOutputs(graph, new Worker(group, owners, team, memory))) {
            Model model = Model.create(spec, local.shape(), memory, settings.seed());
            LoopRun loop = LoopRun.of(local, model, settings);
            made.put(group.rank(), work.apply(new Part(model, loop, local), group));
            group.barrier();
          }
        });
    return List.copyOf(new TreeMap<>(made).values());
  }

  /** Losses and, at the end, scores. */
  private static List<Double> train(Part part, int epochs) {
    List<Double> losses = new ArrayList<>();
    for (int epoch = 1; epoch <= epochs; epoch++) {
      losses.add(part.loop.epoch(epoch));
    }
    Scores scores = part.loop.evaluate();
    losses.addAll(List.of(scores.train(), scores.valid(), scores.test()));
    return losses;
  }

  /** One chunk at each way is training on parts of a graph. */
  @ParameterizedTest
  @EnumSource
  void oneChunkTrainsLikeOneWorker(ModelKind kind) {
    ModelSpec spec = model(kind).norm(NormKind.LAYER).build();
    TrainSettings settings = settings(1, 1, Knobs.DEFAULT);
    List<List<Double>> together = each(spec, settings, (part, _) -> train(part, 4));
    assertThat(together).allMatch(together.getFirst()::equals);
    TrainSettings plain = LayerCase.settings(null).clipNorm(0.5f).build();
    List<Double> alone =
        new LayerCase(graph, spec, plain)
            .train(
                1,
                (model, loop) -> {
                  List<Double> losses = new ArrayList<>();
                  for (int epoch = 1; epoch <= 4; epoch++) {
                    losses.add(loop.epoch(epoch));
                  }
                  return losses;
                });
    for (int epoch = 0; epoch < 4; epoch++) {
      double should = alone.get(epoch);
      assertThat(together.getFirst().get(epoch)).isCloseTo(should, within(1e-5 * should));
    }
  }

  /** The exact forward waits for what all chunks of other ways have. */
  @ParameterizedTest
  @EnumSource(
      value = ModelKind.class,
      names = {"GCN", "SAGE", "GCNII", "SGC", "APPNP"})
  void outputsAreThoseOfTheWholeGraph(ModelKind kind) {
    ModelSpec spec = model(kind).build();
    TrainSettings plain = LayerCase.settings(null).build();
    float[][] whole = new float[VERTICES][];
    try (Training alone = Training.of(graph, spec, plain)) {
      float[][] outputs = alone.predict();
      Arrays.setAll(whole, v -> outputs[v]);
    }
    TrainSettings settings = settings(1, 4, Knobs.DEFAULT);
    LocalWorkers.run(
        WAYS,
        GroupSettings.DEFAULT,
        group -> {
          try (Training one = Training.of(graph, spec, settings, group, ways)) {
            float[][] outputs = one.predict();
            for (int v = 0; v < VERTICES; v++) {
              assertThat(outputs[v]).containsExactly(whole[v], within(1e-5f));
            }
          }
        });
  }

  /** Chunks of several ways that go at one time are as one: each reads the other's rows fresh. */
  @ParameterizedTest
  @EnumSource(
      value = Compensation.class,
      names = {"NONE", "DOUBLE"})
  void meetsTheReference(Compensation compensation) {
    int chunks = 3;
    ModelSpec spec = model(ModelKind.GCN).hidden(4).dropout(0).build();
    var split = new LayerSplit(1, WAYS, chunks, compensation, History.DEFAULT);
    TrainSettings settings = LayerCase.settings(split).build();
    int[] slotOf = new int[VERTICES];
    Chunks cut;
    try (ThreadTeam team = ThreadTeam.of(1)) {
      cut = Chunks.of(graph, ways, chunks, settings.seed(), team);
    }
    Arrays.setAll(slotOf, v -> cut.partition().partOf(v) % chunks);
    ChunkedReference reference = new ChunkedReference(graph, slotOf);
    double factor = compensation == Compensation.DOUBLE ? 2 : 1;
    List<Double> furthest =
        each(
            spec,
            settings,
            (part, _) -> {
              double[][][] history = reference.exact(Weights.of(values(part.model))).h();
              double most = 0;
              for (int epoch = 1; epoch <= 3; epoch++) {
                Weights weights = Weights.of(values(part.model));
                double loss = part.loop.epoch(epoch);
                int[] order;
                synchronized (cut) {
                  order = cut.order(epoch).clone();
                }
                Forward made = reference.forward(weights, order, history);
                assertThat(loss).isCloseTo(reference.loss(made), within(1e-5));
                Weights should = reference.backward(weights, made, order, factor);
                for (int l = 0; l < 4; l++) {
                  float[][] is = part.model.parameters().all().get(2 * l).grad().toArray();
                  most = Math.max(most, distance(is, should.w()[l]));
                }
              }
              return most;
            });
    assertThat(furthest).allMatch(most -> most < 1e-5);
  }

  private static List<float[][]> values(Model model) {
    return model.parameters().all().stream().map(Parameter::value).map(Matrix::toArray).toList();
  }

  private static double distance(float[][] is, double[][] should) {
    double furthest = 0;
    double largest = 1e-3;
    for (int r = 0; r < should.length; r++) {
      for (int c = 0; c < should[0].length; c++) {
        furthest = Math.max(furthest, Math.abs(is[r][c] - should[r][c]));
        largest = Math.max(largest, Math.abs(should[r][c]));
      }
    }
    return furthest / largest;
  }

  /** Where the model is cut, and what is computed while rows travel, changes no bit. */
  @ParameterizedTest
  @EnumSource(
      value = ModelKind.class,
      names = {"GCN", "GAT", "GCNII", "RESGCN", "SAGE_POOL"})
  void stagesAndOverlapChangeNoBit(ModelKind kind) {
    ModelSpec spec = model(kind).norm(NormKind.LAYER).build();
    List<Double> one = each(spec, settings(1, 3, Knobs.DEFAULT), (p, _) -> train(p, 5)).getFirst();
    boolean mapsIn = kind == ModelKind.GCNII || kind == ModelKind.RESGCN;
    int sections = mapsIn ? 6 : 4;
    for (int second = 1; second < sections; second++) {
      TrainSettings two = settings(2, 3, Knobs.DEFAULT.withOverlap(second % 2 == 0));
      LayerSplit cut =
          Objects.requireNonNull(two.layers()).withCosts(LayerCase.cutAt(sections, second));
      TrainSettings there = two.withKnobs(two.knobs().withLayers(cut));
      assertThat(each(spec, there, (p, _) -> train(p, 5)))
          .as("cut before section %d", second)
          .allMatch(one::equals);
    }
  }

  /** The formula: {@code 2 (S − 1) N (H + H') · 4}, and {@code 2 L M H · 4} between ways. */
  @Test
  void sendsWhatTheFormulaSays() {
    for (CodecKind codec : new CodecKind[] {CodecKind.FP32, CodecKind.BITS8, CodecKind.BITS2}) {
      for (ModelKind kind : new ModelKind[] {ModelKind.GCNII, ModelKind.RESGCN}) {
        ModelSpec spec = model(kind).build();
        var split =
            new LayerSplit(2, WAYS, 3, Compensation.NONE, History.DEFAULT)
                .withInitial(Initial.SENT);
        TrainSettings settings =
            LayerCase.settings(split)
                .knobs(Knobs.DEFAULT.withCodec(RowCodec.of(codec)).withLayers(split))
                .build();
        List<long[]> sent =
            each(
                spec,
                settings,
                (part, group) -> {
                  double _ = part.loop.epoch(1);
                  Traffic before = group.traffic();
                  double _ = part.loop.epoch(2);
                  Traffic since = group.traffic().since(before);
                  return new long[] {since.of(Kind.BOUNDARY).bytes(), since.of(Kind.HALO).bytes()};
                });
        long row = codec.rowBytes(HIDDEN);
        long values = kind == ModelKind.GCNII ? 2 : 1;
        assertThat(sent.stream().mapToLong(s -> s[0]).sum()).isEqualTo(2 * VERTICES * values * row);
        assertThat(sent.stream().mapToLong(s -> s[1]).sum()).isEqualTo(2 * 4 * mirrors() * row);
      }
    }
  }

  /** Counted from the graph alone. */
  private static long mirrors() {
    long count = 0;
    try (Memory memory = new Memory()) {
      for (int way = 0; way < WAYS; way++) {
        GraphPart part = GraphPart.of(graph, ways, way, memory);
        count += part.sources() - part.vertices();
      }
    }
    return count;
  }

  /** Rounded rows do not change where training goes. */
  @Test
  void roundedRowsTrainAlmostLikeExactOnes() {
    ModelSpec spec = model(ModelKind.RESGCN).dropout(0).norm(NormKind.LAYER).build();
    List<Double> exact =
        each(spec, settings(2, 3, Knobs.DEFAULT), (p, _) -> train(p, 20)).getFirst();
    TrainSettings few =
        settings(2, 3, Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.BITS8)).withOverlap(true));
    List<List<Double>> rounded = each(spec, few, (p, _) -> train(p, 20));
    assertThat(rounded).allMatch(rounded.getFirst()::equals);
    assertThat(rounded.getFirst().get(19)).isNotEqualTo(exact.get(19));
    assertThat(rounded.getFirst().get(19)).isCloseTo(exact.get(19), within(0.05 * exact.get(19)));
  }
}
