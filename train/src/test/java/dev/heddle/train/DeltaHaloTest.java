package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
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
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.GradientSync;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that send each other what changed since the last epoch. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DeltaHaloTest {
  private static final int WORKERS = 3;
  private static final int VERTICES = 400;

  /** Per epoch: how far outputs are from those of rows as they are, the loss, and bytes. */
  @SuppressWarnings("ArrayRecordComponent") // Compared one by one.
  private record Ended(double[] errors, double[] losses, long[] bytes, long memory) {}

  /** How to train. */
  private record How(Knobs knobs, int threads, int epochs, float rate) {}

  private static Ended train(long seed, ModelKind kind, How how) {
    ModelSpec spec = ModelSpec.of(kind).layers(3).hidden(24).dropout(0).build();
    double[] squares = new double[how.epochs];
    double[] losses = new double[how.epochs];
    long[] bytes = new long[how.epochs];
    long[] memoryBytes = new long[1];
    TrainSettings settings =
        TrainSettings.builder().seed(3).learningRate(how.rate).knobs(how.knobs).build();
    SplittableRandom random = new SplittableRandom(seed);
    try (Graph graph = SmallGraph.of(VERTICES, 12, seed)) {
      Partition owners = Partition.of(WORKERS, random.ints(VERTICES, 0, WORKERS).toArray());
      LocalWorkers.run(
          WORKERS,
          GroupSettings.DEFAULT,
          group -> {
            try (Memory memory = new Memory();
                ThreadTeam team = ThreadTeam.of(how.threads)) {
              try (LocalGraph share =
                  LocalGraph.of(graph, new Worker(group, owners, team, memory), how.knobs)) {
                Model model = Model.create(spec, share.shape(), memory, 1);
                List<Parameter> parameters = model.parameters().all();
                Program program =
                    share.record(model, Recorder.Options.DEFAULT).allocate(memory, team);
                Loss loss =
                    Loss.of(memory, share.labels(), share.split().train(), share.trainVertices());
                Optimizer optimizer = settings.optimizer().create(memory, parameters, settings);
                var placement = ParameterPlacement.replicated(model, group);
                var gradients = GradientSync.of(how.knobs.sync(), placement, share.worker(), 1);
                Step step = new Step(3);
                for (int epoch = 1; epoch <= how.epochs; epoch++) {
                  parameters.forEach(Parameter::zeroGrad);
                  program.forward(step.evaluate());
                  float[][] exact = program.output().toArray();
                  LoopRun.halo(share).beginEpoch(epoch);
                  Traffic before = group.traffic();
                  program.forward(step.train(epoch, 0));
                  double square = distance(program.output(), exact);
                  double value = loss.gradient(team, program.output(), program.outputGrad());
                  program.backward(step);
                  long sent = group.traffic().since(before).of(Kind.HALO).bytes();
                  gradients.share(epoch, 0);
                  optimizer.step(team, settings.learningRate().at(epoch - 1));
                  double[] all = {square, value, sent};
                  group.sum(all);
                  if (group.rank() == 0) {
                    squares[epoch - 1] = all[0];
                    losses[epoch - 1] = all[1];
                    bytes[epoch - 1] = (long) all[2];
                  }
                }
                long taken = share.haloReport().roundedBytes();
                if (group.rank() == 0) {
                  memoryBytes[0] = taken;
                }
              }
            }
          });
    }
    double[] errors = Arrays.stream(squares).map(Math::sqrt).toArray();
    return new Ended(errors, losses, bytes, memoryBytes[0]);
  }

  private static double distance(Matrix is, float[][] exact) {
    double sum = 0;
    for (int r = 0; r < exact.length; r++) {
      for (int c = 0; c < is.cols(); c++) {
        sum += Math.pow((double) is.get(r, c) - exact[r][c], 2);
      }
    }
    return sum;
  }

  private static double meanOfLast(double[] values) {
    return Arrays.stream(values, values.length - 5, values.length).average().orElseThrow();
  }

  /**
   * As training settles, what arrives comes closer to what was sent than rows by themselves do; the
   * seed is fixed. The same bytes travel, and what is remembered is memory.
   */
  @ParameterizedTest
  @EnumSource(
      names = {"GCN", "SAGE"},
      mode = EnumSource.Mode.INCLUDE)
  void errorFallsAsTrainingSettles(ModelKind kind) {
    Knobs plain = Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.BITS2));
    Ended byThemselves = train(1, kind, new How(plain, 1, 40, 0.005f));
    Ended byChange =
        train(
            1,
            kind,
            new How(Knobs.DEFAULT.withCodec(plain.codec().withDelta(true)), 1, 40, 0.005f));
    assertThat(byChange.errors[0]).isEqualTo(byThemselves.errors[0]);
    assertThat(meanOfLast(byChange.errors)).isLessThan(0.5 * meanOfLast(byThemselves.errors));
    assertThat(byChange.bytes).isEqualTo(byThemselves.bytes);
    assertThat(byChange.memory).isGreaterThan(byThemselves.memory);
    assertThat(byChange.losses[39]).isLessThan(byChange.losses[0]);
  }

  /** Bits do not depend on the number of threads, nor on overlap, also of sums. */
  @Test
  void sameBitsHoweverItIsTimed() {
    long seed = TestSeed.random(this).nextLong();
    for (boolean sums : new boolean[] {false, true}) {
      Knobs waiting =
          Knobs.DEFAULT.withCodec(
              RowCodec.of(CodecKind.BITS4).withPreAggregate(sums).withDelta(true));
      Knobs hidden =
          Knobs.DEFAULT
              .withCodec(RowCodec.of(CodecKind.BITS4).withPreAggregate(sums).withDelta(true))
              .withOverlap(true);
      Ended one = train(seed, ModelKind.GCN, new How(waiting, 1, 6, 0.01f));
      Ended two = train(seed, ModelKind.GCN, new How(hidden, 2, 6, 0.01f));
      assertThat(two.losses).isEqualTo(one.losses);
      assertThat(two.errors).isEqualTo(one.errors);
    }
  }

  /** Widths may change between epochs; what is remembered stays. */
  @Test
  void widthsMayChange() {
    long seed = TestSeed.random(this).nextLong();
    Knobs knobs =
        Knobs.DEFAULT
            .withCodec(
                RowCodec.of(CodecKind.ADAPTIVE)
                    .withAdaptation(new Adaptation(3, 0.3, 10))
                    .withPreAggregate(true)
                    .withDelta(true))
            .withOverlap(true);
    Ended ended = train(seed, ModelKind.SAGE, new How(knobs, 1, 20, 0.005f));
    assertThat(ended.bytes[19]).isLessThan(ended.bytes[0]);
    assertThat(ended.losses[19]).isLessThan(ended.losses[0]);
  }
}
