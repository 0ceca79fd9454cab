package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.Consistency;
import dev.heddle.train.settings.Depth;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.GradientCodec;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.Preset;
import dev.heddle.train.settings.Queues;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes together trains, and all else is refused with the one sentence that says why. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CompatibilityTest {
  private static final int EPOCHS = 2;

  /** A value of a knob, or of a setting of it. */
  private record Value(String knob, UnaryOperator<Knobs> set) {
    @Override
    public String toString() {
      return knob;
    }
  }

  private static List<Value> values() {
    List<Value> all = new ArrayList<>();
    all.add(new Value("nothing", k -> k));
    for (Split split : List.of(Split.GRAPH, Split.SEEDS, Split.BATCH, Split.LAYERS)) {
      all.add(new Value("split", k -> k.withSplit(split)));
    }
    for (CodecKind kind : CodecKind.values()) {
      all.add(
          new Value(
              "codec",
              k ->
                  k.withCodec(
                      new RowCodec(
                          kind, Adaptation.DEFAULT, k.codec().delta(), k.codec().preAggregate()))));
    }
    all.add(new Value("delta", k -> k.withCodec(k.codec().withDelta(true))));
    all.add(new Value("preAggregate", k -> k.withCodec(k.codec().withPreAggregate(true))));
    all.add(new Value("presample", k -> k.withBatchSplit(new BatchSplit(Depth.of(1), 2, 1))));
    all.add(new Value("groups", k -> k.withBatchSplit(k.batchSplit().withGroups(2))));
    all.add(new Value("depth", k -> k.withBatchSplit(k.batchSplit().withDepth(Depth.AUTO))));
    all.add(new Value("overlap", k -> k.withOverlap(true)));
    Sync.Racom racom = Sync.Racom.DEFAULT.withStaleness(2);
    for (Sync sync :
        List.of(
            Sync.everyStep(true),
            new Sync.EveryStep(GradientCodec.BITS8),
            racom,
            racom.withCodec(GradientCodec.BFLOAT16),
            racom.withCodec(GradientCodec.BITS8).withConsistency(Consistency.every(2)))) {
      all.add(new Value("sync", k -> k.withSync(sync)));
    }
    all.add(new Value("queues", k -> k.withQueues(new Queues.Fixed(2))));
    all.add(fetch("macrobatch", f -> f.withMacrobatch(1)));
    all.add(fetch("macrobatch", f -> f.withMacrobatch(3)));
    all.add(fetch("memory", f -> f.withMemory(1 << 20)));
    all.add(fetch("ahead", f -> f.withAhead(true)));
    all.add(fetch("cache", f -> f.withCache(new Fetch.Cache(1000, Fetch.Rank.VIP))));
    all.add(fetch("aggregatedInputs", f -> f.withAggregatedInputs(true)));
    for (Fetch.Topology topology : List.of(Fetch.Topology.REPLICATED, Fetch.Topology.AUTO)) {
      all.add(fetch("topology", f -> f.withTopology(topology)));
    }
    return all;
  }

  private static Value fetch(String name, UnaryOperator<Fetch> set) {
    return new Value(name, k -> k.withFetch(set.apply(k.fetch())));
  }

  /** Where something is used, where it works, and what is said elsewhere. */
  private record Place(Predicate<Knobs> used, boolean works, String otherwise) {
    boolean refuses(Knobs knobs) {
      return used.test(knobs) && !works;
    }
  }

  /** What goes with so many workers, in batches or on the whole graph. */
  private static List<Place> table(Knobs knobs, int workers, boolean batches) {
    boolean several = workers > 1;
    boolean graph = several && !batches;
    boolean seeds = several && batches;
    String alone = " is for rows between workers, and there is one: add --workers";
    String batch = " is for batches: say how large with --batch, as in --batch 1024";
    String kind = knobs.codec().kind().label();
    return List.of(
        new Place(
            k -> k.split() == Split.LAYERS,
            !batches,
            "--split layers trains on the whole graph: leave --batch out, or use --split seeds"),
        new Place(
            k -> k.split() == Split.LAYERS && k.codec().kind().chooses(),
            false,
            "stages hand rows on at one width: use --codec bits2, bits4 or bits8, not " + kind),
        new Place(
            k -> k.split() == Split.LAYERS && k.codec().delta() && k.codec().kind().rounds(),
            false,
            "stages hand on rows as they are or rounded, and remember none: use --codec-delta off"),
        new Place(
            k -> k.split() == Split.LAYERS && k.codec().preAggregate() && several,
            false,
            "--pre-aggregate on sums rows of the whole graph, and chunks need them one by one: use"
                + " --pre-aggregate off"),
        new Place(
            k -> k.split() == Split.LAYERS && k.overlap() && several,
            false,
            "--overlap on is for workers that share the graph; stages of one worker go on while rows"
                + " travel in any case: leave it out"),
        new Place(
            k -> k.split() == Split.LAYERS && k.sync().halfSums() && several,
            false,
            "--half-sums on is for workers that sum gradients, and stages of one worker have"
                + " parameters of their own: leave it out"),
        new Place(
            k -> k.split() != Split.NONE && k.split() != Split.LAYERS,
            several,
            "--split "
                + knobs.split()
                + " is for several workers, and there is one: add --workers"),
        new Place(
            k -> k.split() == Split.GRAPH && several,
            graph,
            "--split graph trains on the whole graph: leave --batch out, or use --split seeds"),
        new Place(
            k -> k.split().inBatches() && several,
            seeds,
            "--split "
                + knobs.split()
                + " divides batches: say how large they are with --batch, as in"
                + " --batch 1024"),
        new Place(
            k -> k.together(workers) && k.codec().kind().chooses(),
            false,
            "rows of batches go elsewhere in every step, so that none has a width of its own: use"
                + " --codec bits2, bits4 or bits8, not "
                + kind),
        new Place(
            k -> k.together(workers) && k.codec().delta(),
            false,
            "rows of batches go elsewhere in every step, so that nobody remembers them: use"
                + " --codec-delta off"),
        new Place(
            k -> k.together(workers) && k.fetch().topology() != Fetch.Topology.PARTITIONED,
            false,
            "--topology is for workers that sample neighbours of others, and with --split batch"
                + " owners do: leave it out"),
        new Place(
            k -> k.together(workers) && k.fetch().cache().bytes() > 0,
            false,
            "a cache keeps rows of mapped features, and with --split batch each worker has those"
                + " that it loads in memory: leave --cache-bytes out"),
        new Place(
            k -> k.split() != Split.BATCH && !k.batchSplit().equals(BatchSplit.DEFAULT),
            false,
            "--depth, --presample and --groups are for workers that compute batches together: use"
                + " --split batch"),
        new Place(
            k -> k.together(workers) && k.batchSplit().groups() == workers,
            false,
            "--groups needs several workers in each group, everywhere as many: 2 workers do not"
                + " make 2 such groups"),
        new Place(k -> k.codec().kind().rounds(), several, "--codec " + kind + alone),
        new Place(
            k -> k.codec().kind().chooses() && several,
            graph,
            "batches fetch features at one width: use --codec bits2, bits4 or bits8, not " + kind),
        new Place(
            k -> k.codec().delta() && !k.codec().kind().rounds(),
            false,
            "--codec-delta on is for rows that are rounded, and fp32 sends them as they are: use"
                + " --codec bits2, bits4, bits8 or adaptive"),
        new Place(
            k -> k.codec().delta() && several,
            graph,
            "batches fetch features, which do not change, so that no change can be rounded: use"
                + " --codec-delta off"),
        new Place(k -> k.codec().preAggregate(), several, "--pre-aggregate on" + alone),
        new Place(
            k -> k.codec().preAggregate() && several,
            graph,
            "--pre-aggregate on sums rows of the whole graph, and batches fetch rows one by one:"
                + " use --pre-aggregate off"),
        new Place(Knobs::overlap, several, "--overlap on" + alone),
        new Place(
            k -> k.overlap() && several,
            graph,
            "--overlap on is for rows of the whole graph, and batches travel before they are"
                + " needed: use --ahead"),
        new Place(
            k -> k.sync().halfSums(),
            several,
            "--half-sums on is for sums between workers, and there is one: add --workers"),
        new Place(
            k -> k.sync() instanceof Sync.Racom,
            batches,
            "--sync racom has some steps under way, and the whole graph is one step an epoch: say"
                + " how large batches are with --batch, as in --batch 1024"),
        new Place(
            k -> k.sync() instanceof Sync.Racom && k.sync().halfSums(),
            false,
            "--half-sums on is for sums, and with --sync racom gradients go from worker to worker:"
                + " use --gradient-codec bits8"),
        new Place(
            k -> k.sync() instanceof Sync.EveryStep && k.sync().codec() == GradientCodec.BITS8,
            false,
            "--gradient-codec bits8 is for gradients that go from worker to worker, and sums in"
                + " every step are of fp32 or bfloat16: use --sync racom, with --staleness 1 to wait"
                + " in every step"),
        new Place(
            k -> k.sync().codec() == GradientCodec.BITS8,
            several,
            "--gradient-codec bits8 is for gradients between workers, and there is one: add"
                + " --workers"),
        new Place(
            k -> k.sync() instanceof Sync.Racom sync && sync.consistency().on(),
            several,
            "--consistency compares the models of several workers, and there is one: add --workers"),
        new Place(k -> k.queues().on(), batches, "--queues" + batch),
        new Place(
            k -> k.queues().on() && k.fetch().ahead(),
            false,
            "--queues loads batches ahead, as many as queues hold: leave --ahead out"),
        new Place(k -> k.fetch().macrobatch() != 0, batches, "--macrobatch" + batch),
        new Place(k -> k.fetch().memory() != 0, batches, "--batch-memory" + batch),
        new Place(
            k -> k.fetch().memory() != 0 && k.fetch().macrobatch() == 0 && batches,
            several,
            "one worker loads batches one by one: with --batch-memory, say --macrobatch too"),
        new Place(k -> k.fetch().ahead(), batches, "--ahead" + batch),
        new Place(k -> k.fetch().aggregatedInputs(), batches, "--cache aggregated" + batch),
        new Place(k -> k.fetch().cache().bytes() > 0, batches, "--cache-bytes" + batch),
        new Place(
            k -> k.fetch().cache().bytes() > 0 && batches,
            several,
            "a cache keeps rows of other workers or of mapped features, and one worker has all of"
                + " them in memory: leave --cache-bytes out"),
        new Place(
            k -> k.fetch().topology() != Fetch.Topology.PARTITIONED && several,
            batches,
            "--topology" + batch),
        new Place(
            k -> k.fetch().topology() != Fetch.Topology.PARTITIONED,
            several,
            "--topology is for several workers, and there is one: add --workers"));
  }

  private static Graph graph() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      return CommunityGraph.of(60).averageDegree(4).classes(3).width(6).seed(1).generate(team);
    }
  }

  private static final ModelSpec SAGE = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(4).build();

  private static TrainSettings settings(Knobs knobs, boolean batches) {
    return TrainSettings.builder()
        .epochs(EPOCHS)
        .threads(1)
        .knobs(knobs)
        .batches(batches ? new BatchSettings(20, SampleSettings.neighbours(2, 2)) : null)
        .build();
  }

  private static void train(Graph graph, ModelSpec spec, TrainSettings settings, int workers) {
    int[] part = new int[graph.vertices()];
    for (int v = 0; v < part.length; v++) {
      part[v] = v % workers;
    }
    Partition owners = Partition.of(workers, part);
    LocalWorkers.run(
        workers,
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, group, owners)) {
            assertThat(training.run().epochs()).hasSize(EPOCHS);
          }
        });
  }

  /** Every pair of values of two knobs, by one worker and by two, in batches and without. */
  @ParameterizedTest
  @CsvSource({"1, false", "1, true", "2, false", "2, true"})
  void everyPairTrainsOrIsRefused(int workers, boolean batches) {
    List<Value> values = values();
    int trained = 0;
    int refused = 0;
    try (Graph graph = graph()) {
      for (int i = 0; i < values.size(); i++) {
        for (int j = 0; j < i; j++) {
          if (values.get(i).knob.equals(values.get(j).knob)) {
            continue;
          }
          Knobs knobs = values.get(i).set.apply(values.get(j).set.apply(Knobs.DEFAULT));
          List<String> because =
              table(knobs, workers, batches).stream()
                  .filter(place -> place.refuses(knobs))
                  .map(Place::otherwise)
                  .toList();
          TrainSettings settings = settings(knobs, batches);
          if (because.isEmpty()) {
            train(graph, SAGE, settings, workers);
            trained++;
          } else {
            assertThatThrownBy(() -> Compatibility.check(settings, SAGE, workers, null))
                .as(knobs.toString())
                .isInstanceOf(IllegalArgumentException.class)
                .extracting(Throwable::getMessage)
                .isIn(because);
            assertThatThrownBy(() -> train(graph, SAGE, settings, workers))
                .as(knobs.toString())
                .isInstanceOf(RuntimeException.class);
            refused++;
          }
        }
      }
    }
    assertThat(trained).isPositive();
    assertThat(refused).isPositive();
  }

  private static void assertRefused(
      Knobs knobs, boolean batches, ModelSpec spec, int workers, String because) {
    TrainSettings settings = settings(knobs, batches);
    assertThatThrownBy(() -> Compatibility.check(settings, spec, workers, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(because);
  }

  @Test
  void stagesAreAsManyAsWorkersMake() {
    Knobs layers = Knobs.DEFAULT.withSplit(Split.LAYERS);
    assertRefused(
        layers.withLayers(LayerSplit.DEFAULT.withStages(2)),
        false,
        SAGE,
        4,
        "--split layers has a stage for each of the 4 workers: leave --stages out, or use --split"
            + " hybrid");
    Knobs hybrid = Knobs.DEFAULT.withSplit(Split.HYBRID);
    for (int workers : new int[] {2, 3, 5}) {
      assertRefused(
          hybrid,
          false,
          SAGE,
          workers,
          "--split hybrid needs several workers for each stage, everywhere as many: "
              + workers
              + " workers do not make 2 such stages");
    }
    Compatibility.check(settings(hybrid, false), SAGE, 4, null);
    ModelSpec normed = ModelSpec.of(ModelKind.SAGE).norm(NormKind.BATCH).build();
    assertRefused(
        layers,
        false,
        normed,
        2,
        "norm batch is over all rows at once, and chunks pass one after another: use --norm layer");
  }

  private static final Knobs FOUR = Knobs.DEFAULT.withCodec(RowCodec.of(CodecKind.BITS4));
  private static final Knobs SUMMED = Knobs.DEFAULT.withCodec(RowCodec.FP32.withPreAggregate(true));

  @ParameterizedTest
  @EnumSource(names = {"GAT", "GATV2"})
  void attentionNeedsRowsAsTheyAre(ModelKind kind) {
    ModelSpec spec = ModelSpec.of(kind).build();
    for (boolean batches : new boolean[] {false, true}) {
      assertRefused(
          FOUR,
          batches,
          spec,
          2,
          kind + " weighs neighbours by rows that bits4 would round: use --codec fp32");
    }
    assertRefused(
        SUMMED,
        false,
        spec,
        2,
        kind
            + " weighs neighbours one by one, so that nobody can sum them beforehand: use"
            + " --pre-aggregate off");
  }

  @Test
  void theLargestOfRowsIsNoSum() {
    ModelSpec pool = ModelSpec.of(ModelKind.SAGE_POOL).build();
    assertRefused(
        FOUR,
        false,
        pool,
        2,
        "sage-pool takes the largest of rows, and of rounded ones that is too large: use"
            + " --codec fp32");
    assertRefused(
        SUMMED,
        false,
        pool,
        2,
        "sage-pool takes the largest of rows, not their sum: use --pre-aggregate off");
  }

  @Test
  void severalWorkersHaveNotAllOfABatch() {
    ModelSpec normed = ModelSpec.of(ModelKind.SAGE).norm(NormKind.BATCH).build();
    assertRefused(
        Knobs.DEFAULT,
        true,
        normed,
        2,
        "norm batch needs all rows of a batch at one worker: use norm layer, or one worker");
    for (SamplerKind kind : List.of(SamplerKind.CLUSTER, SamplerKind.SHADOW)) {
      List<Integer> fanouts = kind == SamplerKind.CLUSTER ? List.of() : List.of(2, 2);
      var induced = new BatchSettings(20, new SampleSettings(kind, fanouts, false, false));
      TrainSettings settings = settings(Knobs.DEFAULT, false).withBatches(induced);
      Compatibility.check(settings, SAGE, 1, null);
      assertThatThrownBy(() -> Compatibility.check(settings, SAGE, 2, null))
          .hasMessage(
              "the " + kind + " sampler needs all arcs at one worker: use neighbour or labor");
    }
  }

  @Test
  void samplersOfLayersAndOfCachesNeedTheirWays() {
    for (SamplerKind kind : List.of(SamplerKind.LADIES, SamplerKind.FASTGCN)) {
      var sampling = SampleSettings.layers(kind, SampleSettings.Layer.PLAIN, 5, 5);
      TrainSettings layers =
          settings(Knobs.DEFAULT, false).withBatches(new BatchSettings(20, sampling));
      Compatibility.check(layers, SAGE, 1, null);
      Fetch everywhere = Fetch.DEFAULT.withTopology(Fetch.Topology.REPLICATED);
      Compatibility.check(layers.withFetch(everywhere), SAGE, 2, null);
      assertRefused(
          layers,
          "the "
              + kind
              + " sampler draws for all rows of a batch at once, and needs all arcs at every"
              + " worker: use --topology replicated");
      assertRefused(
          layers.withKnobs(Knobs.DEFAULT.withSplit(Split.BATCH)),
          "the "
              + kind
              + " sampler draws for all rows of a batch at once, and with --split batch owners"
              + " draw for theirs: use --split seeds");
      assertRefused(
          layers.withFetch(everywhere.withCache(new Fetch.Cache(900, Fetch.Rank.VIP))),
          "--cache-rank vip reckons with the arcs that each vertex draws, and the "
              + kind
              + " sampler draws whole layers: use presampled");
    }
    Fetch drawn = Fetch.DEFAULT.withCache(Fetch.Cache.gns(900, Fetch.Rank.DEGREE));
    TrainSettings gns = settings(Knobs.DEFAULT, true).withFetch(drawn);
    Compatibility.check(gns, SAGE, 2, null);
    Compatibility.check(gns.withFetch(drawn.withInPlace(true)), SAGE, 1, null);
    assertRefused(
        gns.withFetch(drawn.withAggregatedInputs(true)),
        "--cache aggregated never samples the input layer, and --cache gns samples it from the"
            + " cache: use either");
    assertRefused(
        gns.withKnobs(Knobs.DEFAULT.withSplit(Split.BATCH).withFetch(drawn)),
        "--cache gns is for workers that sample from one cache, each for its own seeds, and with"
            + " --split batch everyone loads its own vertices: use --split seeds");
    assertRefused(
        gns.withFetch(Fetch.DEFAULT.withCache(Fetch.Cache.gns(900, Fetch.Rank.PRESAMPLED))),
        "--cache gns wants a worth of every vertex, and a presampled epoch misses some: use"
            + " --cache-rank degree or vip");
    var replaced = new BatchSettings(20, SampleSettings.neighbours(2, 2).withReplacement());
    assertRefused(
        gns.withBatches(replaced),
        "--cache gns draws neighbours that are cached, without replacement and all alike: use"
            + " --sampler neighbour, and leave --replace and --by-weight out");
    assertThatThrownBy(() ->
            Compatibility.check(
                gns.withFetch(drawn.withInPlace(true)).withHalfWidth(true), SAGE, 1, null))
        .hasMessage(
            "one worker with half width has a copy of all features in memory, and nothing to"
                + " cache: leave --half or the cache out");
  }

  private static void assertRefused(TrainSettings settings, String because) {
    assertThatThrownBy(() -> Compatibility.check(settings, SAGE, 2, null)).hasMessage(because);
  }

  @Test
  void hopsAreThoseOfTheModel() {
    ModelSpec three = ModelSpec.of(ModelKind.SAGE).layers(3).build();
    assertRefused(
        Knobs.DEFAULT, true, three, 1, "this sage takes 3 hops and a fan-out for each, not 2");
  }

  @Test
  void featuresAreRoundedOnce() {
    TrainSettings half = settings(FOUR, true).withHalfWidth(true);
    assertThatThrownBy(() -> Compatibility.check(half, SAGE, 2, null))
        .hasMessage(
            "features are fetched as bfloat16 with --half, or at the bits of --codec bits4, not"
                + " both");
  }

  /** What is known only when the graph is open. */
  @Test
  void sparseFeaturesTravelAsTheyAre() {
    try (Graph sparse = ParallelCase.randomGraph(TestSeed.random(this), true)) {
      assertThatThrownBy(() -> train(sparse, SAGE, settings(FOUR, true), 2))
          .hasMessageContaining(
              "batches fetch sparse features as they are, and bits4 is for rows of dense ones: use"
                  + " --codec fp32");
    }
  }

  @ParameterizedTest
  @EnumSource
  void presetsTrain(Preset preset) {
    Compatibility.check(preset, 4);
    Knobs knobs = preset.knobs(EPOCHS);
    boolean batches = knobs.split().inBatches();
    try (Graph graph = graph()) {
      train(graph, SAGE, settings(knobs, batches), 2);
    }
    assertThat(Preset.of(knobs, batches)).isEqualTo(preset);
    assertThat(preset.changed(knobs, knobs, EPOCHS)).isEmpty();
    if (!preset.forOne()) {
      assertThatThrownBy(() -> Compatibility.check(preset, 1))
          .hasMessage(
              "preset " + preset + " is for several workers, and there is one: say --workers 4");
    }
  }
}
