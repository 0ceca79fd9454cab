package dev.heddle.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Sent;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Training;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.GradientCodec;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.Queues;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Training in batches takes and sends about what was planned, of every kind. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BatchPlanTest {
  private static final int VERTICES = 4000;
  private static final int EPOCHS = 3;
  private static final Set<Kind> SURVEYED =
      EnumSet.of(Kind.SAMPLE_REQUEST, Kind.SAMPLE, Kind.FEATURE_REQUEST, Kind.FEATURE);

  private static Graph graph;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(2)) {
      graph =
          CommunityGraph.of(VERTICES)
              .averageDegree(12)
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

  @ParameterizedTest
  @CsvSource({
    "SAGE, 1, '10,5', 0, none",
    "GCN, 1, '5,5,5', 4, none",
    "SAGE, 2, '10,5', 1, none",
    "SAGE, 2, '10,5', 4, none",
    "SAGE, 2, '4,4,4', 0, none",
    "GCN, 4, '10,5', 4, ahead",
    "SAGE, 4, '10,5', 1, presampled",
    "SAGE, 2, '10,5', 4, vip",
    "GCN, 2, '10,5', 4, replicated",
    "SAGE, 2, '10,5', 4, aggregated",
    "GAT, 2, '5,5', 4, none",
    "GCNII, 2, '5,5', 1, none",
    "SAGE, 1, '10,5', 1, queues",
    "SAGE, 3, '10,5', 1, queues",
  })
  void isAboutWhatHappens(ModelKind kind, int workers, String fanouts, int macrobatch, String way) {
    Integer[] hops =
        Arrays.stream(fanouts.split(",", -1)).map(Integer::valueOf).toArray(Integer[]::new);
    ModelSpec spec =
        ModelSpec.of(kind).layers(hops.length).hidden(32).heads(4).dropout(0.2f).build();
    Fetch fetch = Fetch.DEFAULT.withMacrobatch(macrobatch);
    fetch =
        switch (way) {
          case "presampled" -> fetch.withCache(new Fetch.Cache(100_000, Fetch.Rank.PRESAMPLED));
          case "vip" -> fetch.withCache(new Fetch.Cache(100_000, Fetch.Rank.VIP));
          case "replicated" -> fetch.withTopology(Fetch.Topology.REPLICATED);
          case "ahead" -> fetch.withAhead(true);
          case "aggregated" -> fetch.withAggregatedInputs(true);
          default -> fetch;
        };
    BatchSettings batches = new BatchSettings(100, SampleSettings.neighbours(hops));
    TrainSettings settings =
        TrainSettings.builder()
            .epochs(EPOCHS)
            .evaluateEvery(way.equals("none") ? EPOCHS : 0)
            .threads(1)
            .batches(batches)
            .knobs(way.equals("queues") ? queues(fetch, workers) : Knobs.DEFAULT.withFetch(fetch))
            .build();
    check(spec, settings, workers);
  }

  /** Batches that wait between stages, and gradients that are under way. */
  private static Knobs queues(Fetch fetch, int workers) {
    GradientCodec codec = workers == 1 ? GradientCodec.FP32 : GradientCodec.BITS8;
    return Knobs.DEFAULT
        .withFetch(fetch)
        .withQueues(new Queues.Fixed(2))
        .withSync(Sync.Racom.DEFAULT.withCodec(codec));
  }

  private static void check(ModelSpec spec, TrainSettings settings, int workers) {
    SplittableRandom random = new SplittableRandom(11);
    int[] part = random.ints(VERTICES, 0, workers + 1).map(p -> Math.max(0, p - 1)).toArray();
    Partition owners = Partition.of(workers, part);
    StrategyPlan[] plans = new StrategyPlan[workers];
    Sent[] all = new Sent[workers];
    Sent[] trained = new Sent[workers];
    long peak;
    try (Memory root = new Memory()) {
      LocalWorkers.run(
          workers,
          GroupSettings.DEFAULT,
          root,
          group -> {
            try (Training training = Training.within(root, graph, spec, settings, group, owners)) {
              plans[group.rank()] = training.plan();
              group.barrier();
              Sent before = Sent.by(group.traffic());
              group.barrier();
              TrainResult _ = training.run();
              group.barrier();
              all[group.rank()] = Sent.by(group.traffic());
              trained[group.rank()] = all[group.rank()].plus(before.times(-1));
            }
          });
      peak = root.peakBytes();
    }
    int evaluations = settings.evaluateEvery() == 0 ? 0 : 1;
    StrategyPlan plan = plans[0];
    for (int rank = 0; rank < workers; rank++) {
      assertThat(plans[rank]).isEqualTo(plan);
      WorkerPlan own = plan.workers().get(rank);
      assertThat(all[rank].of(Kind.GRADIENT))
          .isEqualTo(own.epoch().times(EPOCHS).of(Kind.GRADIENT));
      assertThat(trained[rank].of(Kind.EVALUATION))
          .isEqualTo(own.once().plus(own.evaluation().times(evaluations)).of(Kind.EVALUATION));
    }
    Sent happened = Stream.of(trained).reduce(Sent.NOTHING, Sent::plus);
    for (Kind kind : SURVEYED) {
      Sent.Amount planned = plan.epoch().times(EPOCHS).of(kind);
      close(kind + " bytes", planned.bytes(), happened.of(kind).bytes(), 0.05);
      close(kind + " messages", planned.messages(), happened.of(kind).messages(), 0.05);
    }
    long planned = plan.workers().stream().mapToLong(w -> w.memory().bytes()).sum();
    close(plan.workers().stream().map(WorkerPlan::memory).toList().toString(), planned, peak, 0.1);
  }

  private static void close(String what, long planned, long happened, double part) {
    assertThat((double) planned).as(what).isCloseTo((double) happened, within(part * happened));
  }
}
