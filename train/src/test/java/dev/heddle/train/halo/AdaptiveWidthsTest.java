package dev.heddle.train.halo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Link;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Aggregation;
import dev.heddle.graph.Block;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.LoopRun;
import dev.heddle.train.TestSeed;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Timeline;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Widths that are chosen while workers train. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AdaptiveWidthsTest {
  private static final int WIDTH = 13;
  private static final int HIDDEN = 24;
  private static final int CLASSES = 5;

  private final SplittableRandom random = TestSeed.random(this);
  private final Graph graph;

  AdaptiveWidthsTest() {
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
  }

  @AfterEach
  void free() {
    graph.close();
  }

  /** What one worker saw. */
  @SuppressWarnings("ArrayRecordComponent") // Compared one by one.
  private record Ended(double[] losses, long[] epochBytes, List<WidthReport> reports, long rows) {}

  /** How to train: rows of features travel once, or every epoch like others. */
  private record How(CodecKind codec, double lambda, boolean once, int epochs) {}

  private Ended[] train(int workers, Link link, How how) {
    int epochs = how.epochs;
    Partition owners = Partition.of(workers, random.ints(400, 0, workers).toArray());
    var halo =
        Knobs.DEFAULT
            .withCodec(RowCodec.of(how.codec).withAdaptation(new Adaptation(3, how.lambda, 20)))
            .withOverlap(true);
    TrainSettings settings =
        TrainSettings.builder().seed(5).cacheConstants(how.once).knobs(halo).build();
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(3).hidden(HIDDEN).dropout(0.1f).build();
    Ended[] ended = new Ended[workers];
    LocalWorkers.run(
        workers,
        GroupSettings.DEFAULT.withLink(link),
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            try (LocalGraph share =
                LocalGraph.of(graph, new Worker(group, owners, team, memory), halo)) {
              Model model = Model.create(spec, share.shape(), memory, 1);
              LoopRun trainer = LoopRun.of(share, model, settings);
              double[] losses = new double[epochs];
              long[] bytes = new long[epochs];
              for (int epoch = 1; epoch <= epochs; epoch++) {
                Traffic before = group.traffic();
                losses[epoch - 1] = trainer.epoch(epoch);
                bytes[epoch - 1] = group.traffic().since(before).of(Kind.HALO).bytes();
              }
              ended[group.rank()] =
                  new Ended(
                      losses,
                      bytes,
                      share.haloReport().widths(),
                      LoopRun.halo(share).layout().sentRows());
            }
          }
        });
    return ended;
  }

  /**
   * From the first epoch on, what is told of widths covers all rows of every layer there and back,
   * and has the bytes that travel.
   */
  @ParameterizedTest
  @CsvSource({
    "ADAPTIVE, true",
    "ADAPTIVE, false",
    "RANDOM, true",
    "RANDOM, false",
    "BITS2, false",
    "BITS4, true",
    "BITS8, false",
    "FP32, true",
  })
  void whatIsToldTravels(CodecKind codec, boolean once) {
    Ended[] ended = train(3, new Link(50e6, 0), new How(codec, 0.5, once, 8));
    long rows = 0;
    for (Ended each : ended) {
      rows += each.rows;
      assertThat(each.reports).isEqualTo(ended[0].reports);
      assertThat(each.losses).isEqualTo(ended[0].losses);
    }
    List<WidthReport> reports = ended[0].reports;
    if (!codec.rounds()) {
      assertThat(reports).isEmpty();
      return;
    }
    List<Integer> since = codec.chooses() ? List.of(1, 2, 4, 7) : List.of(1);
    assertThat(reports.stream().map(WidthReport::epoch).distinct().toList()).isEqualTo(since);
    for (WidthReport report : reports) {
      assertThat(report.bits2() + report.bits4() + report.bits8()).isEqualTo(rows);
      if (report.epoch() == 1) {
        assertThat(rowsAt(codec.bits(), report)).isEqualTo(rows);
      }
    }
    // What travels once does so in the first epoch.
    for (int epoch = once ? 2 : 1; epoch <= 8; epoch++) {
      int now = epoch;
      int last = since.stream().filter(s -> s <= now).reduce(0, Math::max);
      long expected =
          reports.stream().filter(r -> r.epoch() == last).mapToLong(r -> bytes(r)).sum();
      long sent = Arrays.stream(ended).mapToLong(each -> each.epochBytes[now - 1]).sum();
      assertThat(sent).as("epoch %d", epoch).isEqualTo(expected);
    }
    if (codec == CodecKind.ADAPTIVE) {
      assertThat(ended[0].losses[7]).isLessThan(ended[0].losses[0]);
    }
  }

  private static long rowsAt(int bits, WidthReport report) {
    return switch (bits) {
      case 2 -> report.bits2();
      case 4 -> report.bits4();
      default -> report.bits8();
    };
  }

  /** Of the rows of one value: features first, classes last. */
  private static long bytes(WidthReport report) {
    int cols = new int[] {WIDTH, HIDDEN, CLASSES}[report.value()];
    return report.bits2() * (4 + (2 * cols + 7) / 8)
        + report.bits4() * (4 + (4 * cols + 7) / 8)
        + report.bits8() * (4 + cols);
  }

  @Test
  void onlyVarianceOrOnlyTime() {
    for (int workers : new int[] {2, 4}) {
      for (WidthReport report : chosen(workers, 1)) {
        assertThat(report.bits2() + report.bits4()).isZero();
      }
      for (WidthReport report : chosen(workers, 0)) {
        assertThat(report.bits4() + report.bits8()).isZero();
      }
    }
  }

  private List<WidthReport> chosen(int workers, double lambda) {
    Ended[] ended =
        train(workers, new Link(100e6, 0), new How(CodecKind.ADAPTIVE, lambda, true, 3));
    List<WidthReport> chosen = ended[0].reports.stream().filter(r -> r.epoch() > 1).toList();
    assertThat(chosen).isNotEmpty();
    return chosen;
  }

  /**
   * Every choice begins with nothing again, and rows that cost more, by their range and by those
   * who read them, get no fewer bits; nor does a row once its range is ten times what it was.
   */
  @Test
  void costsAreOfOnePeriodAndOrderWidths() {
    Partition owners = Partition.of(2, random.ints(400, 0, 2).toArray());
    var adaptation = new Adaptation(3, 0.5, 1, 4);
    var settings =
        Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.ADAPTIVE).withAdaptation(adaptation));
    int cols = 64;
    long seed = random.nextLong();
    LocalWorkers.run(
        2,
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            GraphPart part = GraphPart.of(graph, owners, group.rank(), memory);
            Block block = Block.of(memory, part.in());
            Aggregation readers = block.backward(Normalisation.MEAN);
            Lane lane = new Timeline().training();
            try (HaloRows halo = HaloRows.of(group, part, memory, settings, lane)) {
              var value = new Travelling(cols, false, true, block, Normalisation.MEAN);
              HaloPassage passage = (HaloPassage) halo.passage(value);
              Matrix x = Matrix.allocate(memory, part.sources(), cols);
              int[] before = {};
              for (int epoch = 1; epoch <= 7; epoch++) {
                halo.beginEpoch(epoch);
                if (adaptation.due(epoch)) {
                  assertZero(passage.exchange().squaredRanges(false));
                  assertZero(passage.exchange().squaredRanges(true));
                }
                double[] costs = new double[part.sources()];
                for (int row = 0; row < part.sources(); row++) {
                  int vertex = part.vertex(row);
                  // The choice of the last epoch is by rows some of which are ten times wider.
                  float[] values = row(seed + vertex, cols, epoch > 3 && vertex % 50 == 7);
                  costs[row] = readers.squaredWeight(row) * squaredRange(values);
                  x.setRow(row, values);
                }
                Step step = new Step(3).train(epoch, 0);
                passage.start(team, x, step);
                passage.finish(team);
                if (epoch == 2 || epoch == 7) {
                  int[] bits = Arrays.stream(x.toArray()).mapToInt(r -> bitsOf(r)).toArray();
                  assertInOrder(costs, bits, part.vertices());
                  for (int row = part.vertices(); row < part.sources() && epoch == 7; row++) {
                    if (part.vertex(row) % 50 == 7) {
                      assertThat(bits[row]).isGreaterThanOrEqualTo(before[row]);
                    }
                  }
                  before = bits;
                }
                passage.startBack(team, x, step);
                passage.finishBack(team);
              }
            }
          }
        });
  }

  private static float[] row(long seed, int cols, boolean wide) {
    SplittableRandom some = new SplittableRandom(seed);
    double scale = Math.exp(some.nextGaussian()) * (wide ? 10 : 1);
    float[] row = new float[cols];
    for (int c = 0; c < cols; c++) {
      row[c] = (float) (scale * some.nextGaussian());
    }
    return row;
  }

  private static double squaredRange(float[] row) {
    float[] sorted = row.clone();
    Arrays.sort(sorted);
    return Math.pow(sorted[sorted.length - 1] - sorted[0], 2);
  }

  /** How many bits a row of many numbers came with, by how many there are of different ones. */
  private static int bitsOf(float[] row) {
    float[] sorted = row.clone();
    Arrays.sort(sorted);
    int different = 1;
    for (int c = 1; c < sorted.length; c++) {
      different += sorted[c] == sorted[c - 1] ? 0 : 1;
    }
    return different <= 4 ? 2 : different <= 16 ? 4 : 8;
  }

  private static void assertInOrder(double[] costs, int[] bits, int first) {
    for (int a = first; a < costs.length; a++) {
      for (int b = first; b < costs.length; b++) {
        if (costs[a] > 1.001 * costs[b] && bits[a] < bits[b]) {
          throw new AssertionError(
              costs[a] + " has " + bits[a] + " bits, " + costs[b] + " has " + bits[b]);
        }
      }
    }
    assertThat(Arrays.stream(bits, first, bits.length).distinct().count()).isGreaterThan(1);
  }

  private static void assertZero(float[][] ranges) {
    for (float[] each : ranges) {
      assertThat(each).isEqualTo(new float[each.length]);
    }
  }

  /** Σα² over a source's arcs, not (Σα)². */
  @Test
  void weightsAreSumsOfSquares() {
    try (Memory memory = new Memory()) {
      Block block = Block.of(memory, Csr.of(memory, 3, new int[][] {{1, 2}, {2}, {0, 1, 2}}));
      Aggregation back = block.backward(Normalisation.MEAN);
      assertThat(back.squaredWeight(2)).isCloseTo(0.25 + 1 + 1.0 / 9, Assertions.within(1e-6));
      assertThat(back.squaredWeight(0)).isCloseTo(1.0 / 9, Assertions.within(1e-6));
      double symmetric = 0;
      int[] degrees = {2, 1, 3};
      for (int v : new int[] {0, 1, 2}) {
        symmetric += 1.0 / (degrees[2] * degrees[v]);
      }
      assertThat(block.backward(Normalisation.SYMMETRIC).squaredWeight(2))
          .isCloseTo(symmetric, Assertions.within(1e-6));
    }
  }

  @Test
  void refusesWhatCannotBe() {
    List<Runnable> wrong = new ArrayList<>();
    wrong.add(() -> new Adaptation(0, 0.5, 1));
    wrong.add(() -> new Adaptation(1, 0.5, 0));
    wrong.add(() -> new Adaptation(1, 1.5, 1));
    for (Runnable each : wrong) {
      assertThatThrownBy(each::run).hasMessageContaining("lambda from 0 to 1");
    }
  }
}
