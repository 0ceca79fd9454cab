package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What rounding does to gradients: for the bytes of 4 bits everywhere, chosen widths disturb them
 * less than equal ones, and equal ones less than drawn ones.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GradientVarianceTest {
  private static final int WORKERS = 3;
  private static final int DRAWS = 100;

  private final SplittableRandom random = TestSeed.random(this);
  private final Graph graph;
  private final Partition owners;

  GradientVarianceTest() {
    try (ThreadTeam workers = ThreadTeam.of(1)) {
      graph =
          CommunityGraph.of(800)
              .averageDegree(8)
              .exponent(2.1)
              .communities(8)
              .classes(8)
              .width(16)
              .seed(random.nextLong())
              .generate(workers);
    }
    owners = Partition.of(WORKERS, random.ints(800, 0, WORKERS).toArray());
  }

  @AfterEach
  void free() {
    graph.close();
  }

  /** Squared distances of gradients from exact ones, and the bytes of an epoch. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Errors(double[] squared, long bytes) {
    double mean() {
      double sum = 0;
      for (double each : squared) {
        sum += each;
      }
      return sum / squared.length;
    }

    /** Of the mean. */
    double standardError() {
      double sum = 0;
      for (double each : squared) {
        sum += (each - mean()) * (each - mean());
      }
      return Math.sqrt(sum / (squared.length - 1) / squared.length);
    }

    /** Whether this mean is below another's with a confidence of three standard errors. */
    void assertLess(Errors other) {
      double error = Math.hypot(standardError(), other.standardError());
      assertThat(mean() + 3 * error).isLessThan(other.mean());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE"})
  void chosenWidthsDisturbLeast(ModelKind kind) {
    Trained trained = trained(kind);
    var budget = new Adaptation(1_000, 0.5, 5, 4);
    float[] exact = gradients(trained, Knobs.DEFAULT, 1)[0];
    Errors adaptive =
        errors(
            trained,
            Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.ADAPTIVE).withAdaptation(budget)),
            exact);
    Errors uniform = errors(trained, Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.BITS4)), exact);
    // Drawn anew every epoch: the mean is over widths too.
    var anew = new Adaptation(1, 0.5, 5, 4);
    Errors drawn =
        errors(
            trained,
            Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.RANDOM).withAdaptation(anew)),
            exact);
    System.out.printf(
        "%s: adaptive %.3g ± %.1g, uniform %.3g ± %.1g, random %.3g ± %.1g%n",
        kind,
        adaptive.mean(),
        adaptive.standardError(),
        uniform.mean(),
        uniform.standardError(),
        drawn.mean(),
        drawn.standardError());
    adaptive.assertLess(uniform);
    uniform.assertLess(drawn);
    assertThat(adaptive.bytes).isBetween((long) (0.99 * uniform.bytes), uniform.bytes);
    assertThat(drawn.bytes).isEqualTo(uniform.bytes);
  }

  private long epochBytes;

  private Errors errors(Trained trained, Knobs knobs, float[] exact) {
    // Widths are chosen after the first epoch.
    float[][] all = gradients(trained, knobs, DRAWS + 1);
    double[] squared = new double[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
      for (int j = 0; j < exact.length; j++) {
        squared[i] += Math.pow((double) all[i + 1][j] - exact[j], 2);
      }
    }
    return new Errors(squared, epochBytes);
  }

  /**
   * Of all parameters in each of some epochs. They have been trained for a while and then stay as
   * they are: only rounding differs.
   */
  private float[][] gradients(Trained trained, Knobs knobs, int epochs) {
    TrainSettings settings =
        TrainSettings.builder()
            .optimizer(OptimizerKind.SGD)
            .learningRate(1e-30f)
            .knobs(knobs)
            .build();
    float[][] seen = new float[epochs][];
    long[] bytes = new long[WORKERS];
    LocalWorkers.run(
        WORKERS,
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            try (LocalGraph share =
                LocalGraph.of(graph, new Worker(group, owners, team, memory), knobs)) {
              Model model = trained.model(share.shape(), memory);
              LoopRun trainer = LoopRun.of(share, model, settings);
              for (int epoch = 1; epoch <= epochs; epoch++) {
                Traffic before = group.traffic();
                double _ = trainer.epoch(epoch);
                bytes[group.rank()] = group.traffic().since(before).of(Kind.HALO).bytes();
                if (group.rank() == 0) {
                  seen[epoch - 1] = flat(model.parameters().all());
                }
              }
            }
          }
        });
    epochBytes = bytes[0] + bytes[1] + bytes[2];
    return seen;
  }

  /** A model and its parameters after a while. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Trained(ModelSpec spec, float[][][] values) {
    Model model(Model.Shape shape, Memory memory) {
      Model model = Model.create(spec, shape, memory, 1);
      for (int p = 0; p < values.length; p++) {
        Matrix value = model.parameters().all().get(p).value();
        for (int row = 0; row < values[p].length; row++) {
          value.setRow(row, values[p][row]);
        }
      }
      return model;
    }
  }

  /** What one worker alone comes to in some epochs. */
  private Trained trained(ModelKind kind) {
    ModelSpec spec = ModelSpec.of(kind).layers(3).hidden(32).dropout(0).build();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      LocalGraph share = LocalGraph.of(graph, Worker.alone(graph, team, memory), Knobs.DEFAULT);
      Model model = Model.create(spec, share.shape(), memory, 1);
      TrainSettings settings = TrainSettings.builder().build();
      LoopRun trainer = LoopRun.of(share, model, settings);
      for (int epoch = 1; epoch <= 40; epoch++) {
        double _ = trainer.epoch(epoch);
      }
      float[][][] values =
          model.parameters().all().stream().map(p -> p.value().toArray()).toArray(float[][][]::new);
      return new Trained(spec, values);
    }
  }

  private static float[] flat(List<Parameter> parameters) {
    int length = parameters.stream().mapToInt(p -> p.grad().rows() * p.grad().cols()).sum();
    float[] all = new float[length];
    int at = 0;
    for (Parameter parameter : parameters) {
      Matrix grad = parameter.grad();
      for (float[] row : grad.toArray()) {
        System.arraycopy(row, 0, all, at, row.length);
        at += row.length;
      }
    }
    return all;
  }
}
