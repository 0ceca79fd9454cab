package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.settings;
import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.batch.FetchPlan;
import dev.heddle.train.batch.FetchReport;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.TrainSettings;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many batches workers load at once, in how much memory, and what they ask each other for. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FetchPlanTest {
  private static final long MEMORY = 8L << 20;

  /** As many batches at once as memory allows, and no more memory than was said. */
  @Test
  void memoryIsAsPredicted() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (ThreadTeam threads = ThreadTeam.of(1);
        Graph graph =
            CommunityGraph.of(4000)
                .averageDegree(10)
                .communities(8)
                .classes(4)
                .width(40)
                .seed(random.nextLong())
                .generate(threads)) {
      int[] part = random.ints(graph.vertices(), 0, 3).toArray();
      Partition owners = Partition.of(3, part);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(60, SampleSettings.neighbours(6, 4));
      int least = 0;
      for (long megabytes : new long[] {0, 8, 16, 1000}) {
        long memory = Math.max(1, megabytes << 20);
        TrainSettings settings =
            settings(batches).withFetch(Fetch.DEFAULT.withMemory(memory).withAhead(true));
        FetchReport report = report(shared, settings);
        assertThat(report.loadedBytes())
            .isLessThanOrEqualTo(report.plan().predictedBytes() * 11 / 10);
        if (report.plan().macrobatch() > 1) {
          assertThat(report.plan().predictedBytes()).isLessThanOrEqualTo(memory);
        }
        assertThat(report.plan().macrobatch()).isGreaterThanOrEqualTo(least);
        least = report.plan().macrobatch();
        assertThat(report.deduplication() > 1).isEqualTo(least > 1);
        assertThat(megabytes > 0 || least == 1).isTrue();
      }
      int all = TrainableGraph.split(graph).train().length;
      int rounds = Math.ceilDiv((all + 59) / 60, NeighbourSampler.MOST_BATCHES);
      assertThat(least).isEqualTo(Math.ceilDiv((all + 59) / 60, rounds));
    }
  }

  /**
   * Many vertices and small batches: what is there for all vertices is not there for each batch.
   */
  @Test
  void tablesOfAllVerticesCountOnce() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Graph graph = manyVertices(random)) {
      Partition owners = Partition.of(2, random.ints(graph.vertices(), 0, 2).toArray());
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(200, SampleSettings.neighbours(5, 4));
      for (boolean ahead : new boolean[] {false, true}) {
        TrainSettings settings =
            settings(batches).withFetch(Fetch.DEFAULT.withMemory(MEMORY).withAhead(ahead));
        FetchReport report = report(shared, settings);
        FetchPlan plan = report.plan();
        assertThat(plan.macrobatch()).isGreaterThan(4);
        assertThat(plan.predictedBytes()).isLessThanOrEqualTo(MEMORY);
        assertThat(plan.predictedBytes()).isLessThanOrEqualTo(3 * report.loadedBytes());
        assertThat(report.loadedBytes()).isLessThanOrEqualTo(plan.predictedBytes() * 11 / 10);
        assertThat(plan.warnings()).isEmpty();
      }
    }
  }

  private static Graph manyVertices(SplittableRandom random) {
    try (ThreadTeam threads = ThreadTeam.of(1)) {
      return CommunityGraph.of(100_000)
          .averageDegree(4)
          .communities(8)
          .classes(4)
          .width(8)
          .split(0.06, 0.01)
          .seed(random.nextLong())
          .generate(threads);
    }
  }

  /** Who wishes for more batches at once than there is memory for gets fewer, and is told so. */
  @Test
  void memoryLimitsWhatWasWishedFor() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (Graph graph = manyVertices(random)) {
      // One worker needs more than the other, and both load as many.
      int[] part = random.ints(graph.vertices(), 0, 8).map(p -> p == 0 ? 0 : 1).toArray();
      Partition owners = Partition.of(2, part);
      var shared = new SeedParallelCase(graph, owners, spec);
      BatchSettings batches = new BatchSettings(200, SampleSettings.neighbours(5, 4));
      Fetch wished = Fetch.DEFAULT.withMacrobatch(30);
      List<FetchPlan> enough = shared.plans(settings(batches).withFetch(wished));
      assertThat(enough).allMatch(p -> p.macrobatch() == 30 && p.warnings().isEmpty());
      Fetch limited = wished.withMemory(4_000_000);
      List<FetchPlan> fewer = shared.plans(settings(batches).withFetch(limited));
      assertThat(fewer.getFirst().macrobatch()).isBetween(2, 15);
      assertThat(fewer).allMatch(p -> p.macrobatch() == fewer.getFirst().macrobatch());
      assertThat(fewer).allMatch(p -> p.warnings().equals(fewer.getFirst().warnings()));
      assertThat(fewer).allMatch(p -> p.predictedBytes() <= 4_000_000);
      assertThat(fewer.getFirst().warnings())
          .singleElement()
          .asString()
          .matches("30 batches at once take .* MB where 4.0 MB are for it: at most .* are loaded");
      Fetch none = wished.withMemory(1000);
      List<FetchPlan> least = shared.plans(settings(batches).withFetch(none));
      assertThat(least).allMatch(p -> p.macrobatch() == 1);
      assertThat(least.getFirst().warnings())
          .singleElement()
          .asString()
          .startsWith("batches are loaded one by one, and even that takes");
    }
  }

  /** All arcs everywhere where memory allows it: then nothing is asked for when sampling. */
  @Test
  void topologyFollowsMemory() {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(ModelKind.SAGE);
    try (ThreadTeam threads = ThreadTeam.of(1);
        Graph graph =
            CommunityGraph.of(2000)
                .averageDegree(200)
                .communities(4)
                .classes(4)
                .width(8)
                .seed(random.nextLong())
                .generate(threads)) {
      Partition owners = Partition.of(2, random.ints(graph.vertices(), 0, 2).toArray());
      var shared = new SeedParallelCase(graph, owners, spec);
      Fetch auto = Fetch.DEFAULT.withTopology(Fetch.Topology.AUTO);
      // Arcs take just more than a quarter, and far less.
      long arcs = 8L * graph.vertices() + 4 * graph.arcs();
      for (long limit : new long[] {4 * arcs - 4, 16 * arcs}) {
        TrainSettings settings =
            TrainSettings.builder()
                .epochs(1)
                .evaluateEvery(0)
                .threads(1)
                .memoryLimit(limit)
                .batches(new BatchSettings(200, SampleSettings.neighbours(3, 3)))
                .build()
                .withFetch(auto);
        boolean everywhere = limit == 16 * arcs;
        assertThat(requests(shared, settings) == 0).isEqualTo(everywhere);
        assertThat(shared.plans(settings))
            .extracting(FetchPlan::topology)
            .containsOnly(everywhere ? Fetch.Topology.REPLICATED : Fetch.Topology.PARTITIONED);
      }
    }
  }

  /** What is aggregated beforehand is not asked for: no message of the last hop. */
  @Test
  void aggregatedInputsTakeAHopLess() {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
      long ofAHop = 0;
      for (int hops = 1; hops <= 3; hops++) {
        ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(hops).hidden(8).build();
        var shared = new SeedParallelCase(graph, owners, spec);
        Integer[] fanouts = Collections.nCopies(hops, 3).toArray(Integer[]::new);
        BatchSettings batches = new BatchSettings(9, SampleSettings.neighbours(fanouts));
        long sampled = requests(shared, settings(batches));
        Fetch once = Fetch.DEFAULT.withAggregatedInputs(true);
        long given = requests(shared, settings(batches).withFetch(once));
        ofAHop = hops == 1 ? sampled : ofAHop;
        assertThat(ofAHop).isPositive();
        assertThat(sampled).isEqualTo(hops * ofAHop);
        assertThat(given).isEqualTo((hops - 1) * ofAHop);
      }
    }
  }

  /** What the first worker fetched in a run. */
  private static FetchReport report(SeedParallelCase shared, TrainSettings settings) {
    return shared.each(settings, training -> run(training).fetched()).getFirst();
  }

  /** Messages by which workers ask for samples in a run. */
  private static long requests(SeedParallelCase shared, TrainSettings settings) {
    Sent sent = shared.each(settings, training -> run(training).sent()).getFirst();
    return Objects.requireNonNull(sent.byKind().get(Kind.SAMPLE_REQUEST)).messages();
  }

  private static Training run(Training training) {
    TrainResult _ = training.run();
    return training;
  }
}
