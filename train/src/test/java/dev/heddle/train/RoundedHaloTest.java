package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that send each other rows of few bits. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RoundedHaloTest {
  private static final int WORKERS = 3;
  private static final int HIDDEN = 24;
  private static final int CLASSES = 5;
  private static final int WIDTH = 13;

  private final SplittableRandom random = TestSeed.random(this);
  private final Graph graph;
  private final Partition owners;

  RoundedHaloTest() {
    try (ThreadTeam workers = ThreadTeam.of(1)) {
      graph =
          CommunityGraph.of(400)
              .averageDegree(6)
              .communities(8)
              .classes(CLASSES)
              .width(WIDTH)
              .seed(random.nextLong())
              .generate(workers);
    }
    owners = Partition.of(WORKERS, random.ints(400, 0, WORKERS).toArray());
  }

  @AfterEach
  void free() {
    graph.close();
  }

  /** What one of several workers ends with. */
  @SuppressWarnings("ArrayRecordComponent") // Compared one by one.
  private record Ended(
      double loss,
      double[] losses,
      Scores scores,
      long epochBytes,
      long expected,
      long evaluated) {}

  private Ended[] train(ModelSpec spec, CodecKind codec, boolean cached, int threads, int epochs) {
    return train(spec, Knobs.DEFAULT.withCodec(RowCodec.of(codec)), cached, threads, epochs);
  }

  private Ended[] train(ModelSpec spec, Knobs knobs, boolean cached, int threads, int epochs) {
    CodecKind codec = knobs.codec().kind();
    Ended[] ended = new Ended[WORKERS];
    TrainSettings settings =
        TrainSettings.builder()
            .learningRate(0.01f)
            .seed(7)
            .cacheConstants(cached)
            .knobs(knobs)
            .build();
    LocalWorkers.run(
        WORKERS,
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(threads)) {
            try (LocalGraph share =
                LocalGraph.of(graph, new Worker(group, owners, team, memory), settings.knobs())) {
              Model model = Model.create(spec, share.shape(), memory, 1);
              LoopRun trainer = LoopRun.of(share, model, settings);
              double[] losses = new double[epochs];
              long epochBytes = 0;
              for (int epoch = 1; epoch <= epochs; epoch++) {
                Traffic before = group.traffic();
                losses[epoch - 1] = trainer.epoch(epoch);
                epochBytes = group.traffic().since(before).of(Kind.HALO).bytes();
              }
              Traffic before = group.traffic();
              Scores scores = trainer.evaluate();
              Traffic evaluation = group.traffic().since(before);
              long evaluated =
                  evaluation.of(Kind.EVALUATION).bytes() + evaluation.of(Kind.HALO).bytes();
              long there =
                  (cached ? 0 : rowBytes(codec, WIDTH))
                      + rowBytes(codec, HIDDEN)
                      + rowBytes(codec, CLASSES);
              long back = rowBytes(codec, HIDDEN) + rowBytes(codec, CLASSES);
              int received = share.part().sources() - share.part().vertices();
              ended[group.rank()] =
                  new Ended(
                      losses[epochs - 1],
                      losses,
                      scores,
                      epochBytes,
                      there * LoopRun.halo(share).layout().sentRows() + back * received,
                      evaluated
                          - 4L
                              * LoopRun.halo(share).layout().sentRows()
                              * ((cached ? 0 : WIDTH) + HIDDEN + CLASSES));
            }
          }
        });
    return ended;
  }

  private static long rowBytes(CodecKind codec, int cols) {
    return codec.rounds() ? 4 + (cols * codec.bits() + 7) / 8 : 4L * cols;
  }

  private static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind).layers(3).hidden(HIDDEN).dropout(0.2f).build();
  }

  /** Rows sent × (4 + ⌈D·b/8⌉), there and back; evaluation sends rows as they are. */
  @ParameterizedTest
  @EnumSource(
      names = {"ADAPTIVE", "RANDOM"},
      mode = EnumSource.Mode.EXCLUDE)
  void sendsWhatTheFormulaSays(CodecKind codec) {
    for (boolean cached : new boolean[] {true, false}) {
      for (Ended each : train(spec(ModelKind.GCN), codec, cached, 1, 2)) {
        assertThat(each.epochBytes).isEqualTo(each.expected);
        assertThat(each.evaluated).isZero();
      }
    }
  }

  /** Travelling while others compute changes no bit, rounded or not. */
  @ParameterizedTest
  @EnumSource(
      names = {"GAT", "GATV2", "SAGE_POOL", "MLP"},
      mode = EnumSource.Mode.EXCLUDE)
  void overlapChangesNothing(ModelKind kind) {
    for (CodecKind codec : new CodecKind[] {CodecKind.FP32, CodecKind.BITS4}) {
      boolean cached = random.nextBoolean();
      Ended[] waiting =
          train(spec(kind), Knobs.DEFAULT.withCodec(RowCodec.of(codec)), cached, 1, 5);
      Ended[] hidden =
          train(
              spec(kind),
              Knobs.DEFAULT.withCodec(RowCodec.of(codec)).withOverlap(true),
              cached,
              2,
              5);
      assertThat(hidden[2].losses).isEqualTo(waiting[2].losses);
      assertThat(hidden[0].scores).isEqualTo(waiting[0].scores);
    }
  }

  /**
   * Central vertices hear from own vertices alone, marginal ones from another's too; both together
   * are all there are, each once.
   */
  @Test
  void centralVerticesComeFirst() {
    int[] seen = new int[graph.vertices()];
    int central = 0;
    for (int worker = 0; worker < WORKERS; worker++) {
      try (Memory memory = new Memory()) {
        GraphPart part = GraphPart.of(graph, owners, worker, memory);
        for (int row = 0; row < part.vertices(); row++) {
          boolean outside = false;
          for (long a = part.in().offset(row); a < part.in().offset(row + 1); a++) {
            outside |= part.in().id(a) >= part.vertices();
          }
          assertThat(outside).isEqualTo(row >= part.central());
          assertThat(part.rowOf(part.vertex(row))).isEqualTo(row);
          seen[part.vertex(row)]++;
        }
        central += part.central();
      }
    }
    assertThat(seen).containsOnly(1);
    assertThat(central).isBetween(1, seen.length - 1);
  }

  /** Rounding is noise, not drift: losses stay near, and are the same bits for any threads. */
  @ParameterizedTest
  @CsvSource({"GCN, BITS8, 0.02", "SAGE, BITS4, 0.1", "GIN, BITS8, 0.1", "GCNII, BITS4, 0.1"})
  void trainsAlmostAsWithoutRounding(ModelKind kind, CodecKind codec, double tolerance) {
    int epochs = 30;
    Ended[] exact = train(spec(kind), CodecKind.FP32, true, 1, epochs);
    Ended[] rounded = train(spec(kind), codec, true, 1, epochs);
    Ended[] again = train(spec(kind), codec, true, 2, epochs);
    assertThat(rounded[0].losses).isNotEqualTo(exact[0].losses);
    assertThat(again[1].losses).isEqualTo(rounded[0].losses);
    double[] first = Arrays.copyOf(exact[0].losses, 3);
    for (int i = 0; i < first.length; i++) {
      assertThat(rounded[0].losses[i]).isCloseTo(first[i], within(tolerance * first[i]));
    }
    assertThat(rounded[0].loss).isLessThan(0.9 * first[0]);
  }
}
