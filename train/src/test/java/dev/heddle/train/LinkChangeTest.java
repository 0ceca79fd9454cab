package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Link;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link that becomes slow while workers train carries fewer bits from the next period on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LinkChangeTest {
  private static final int WORKERS = 4;
  private static final int PERIOD = 3;

  private final SplittableRandom random = TestSeed.random(this);

  /**
   * Rates are measured anew each time: a machine that is busy at the wrong moment may spoil one.
   */
  @Test
  void throttlingOneLinkLowersItsBitsWithinAPeriod() {
    double[][][] bits = train();
    for (int attempt = 1; attempt < 5 && !lowersOnlyThatLink(bits); attempt++) {
      bits = train();
    }
    assertThat(lowersOnlyThatLink(bits)).as(Arrays.deepToString(bits)).isTrue();
  }

  /**
   * Fewer bits from 0 to 2; no fewer elsewhere, and more where others wait for that link anyway.
   */
  private static boolean lowersOnlyThatLink(double[][][] bits) {
    boolean holds = bits[1][0][2] < 0.9 * bits[0][0][2];
    double mates = 0;
    for (int from = 0; from < WORKERS; from++) {
      for (int to = 0; to < WORKERS; to++) {
        double more = bits[1][from][to] - bits[0][from][to];
        if (from != to && !(from == 0 && to == 2)) {
          holds &= more > -0.05 * bits[0][from][to];
        }
        if (from != 0 && (to - from + WORKERS) % WORKERS == 2) {
          mates += more;
        }
      }
    }
    return holds && mates > 0;
  }

  /** Bits from each worker to each other before a link is throttled and a period later. */
  private double[][][] train() {
    double[][][] bits = new double[2][][];
    try (Graph graph = graph()) {
      Partition owners = Partition.of(WORKERS, random.ints(600, 0, WORKERS).toArray());
      var adaptation = new Adaptation(PERIOD, 0.5, 5);
      var halo =
          Knobs.DEFAULT
              .withCodec(RowCodec.of(CodecKind.ADAPTIVE).withAdaptation(adaptation))
              .withOverlap(true);
      // Parameters stay as they are, and so does what rounding costs.
      TrainSettings settings =
          TrainSettings.builder()
              .optimizer(OptimizerKind.SGD)
              .learningRate(1e-30f)
              .knobs(halo)
              .build();
      ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(3).hidden(32).dropout(0).build();
      LocalWorkers.run(
          WORKERS,
          GroupSettings.DEFAULT.withLink(new Link(20e6, 0)),
          group -> {
            try (Memory memory = new Memory();
                ThreadTeam team = ThreadTeam.of(1)) {
              try (LocalGraph share =
                  LocalGraph.of(graph, new Worker(group, owners, team, memory), halo)) {
                Model model = Model.create(spec, share.shape(), memory, 1);
                LoopRun trainer = LoopRun.of(share, model, settings);
                for (int epoch = 1; epoch <= 2 * PERIOD + 1; epoch++) {
                  double _ = trainer.epoch(epoch);
                  if (epoch == 2 * PERIOD) {
                    remember(group.rank(), share, bits, 0);
                    if (group.rank() == 0) {
                      group.imitate(2, new Link(2e6, 0));
                    }
                  }
                }
                remember(group.rank(), share, bits, 1);
              }
            }
          });
    }
    return bits;
  }

  private static void remember(int rank, LocalGraph share, double[][][] bits, int when) {
    if (rank == 0) {
      bits[when] = LoopRun.halo(share).linkBits();
    }
  }

  private Graph graph() {
    try (ThreadTeam workers = ThreadTeam.of(1)) {
      return CommunityGraph.of(600)
          .averageDegree(8)
          .communities(8)
          .classes(5)
          .width(13)
          .seed(random.nextLong())
          .generate(workers);
    }
  }
}
