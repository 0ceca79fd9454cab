package dev.heddle.train.settings;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.nn.Architecture;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What does not go together, in one list: each rule is what it refuses and one sentence that says
 * why. A combination that would have no effect is refused like one that cannot work. Whatever no
 * rule refuses trains.
 */
public final class Compatibility {
  private Compatibility() {}

  /**
   * What is asked for.
   *
   * @param settings whose split is settled, {@link Knobs#among}
   * @param workers that train together
   * @param features of the graph; null while it is not open
   */
  private record Asked(
      TrainSettings settings, ModelSpec model, int workers, @Nullable Features features) {
    boolean alone() {
      return workers == 1;
    }

    boolean layers() {
      return knobs().split().cutsLayers();
    }

    boolean inBatches() {
      return settings.batches() != null;
    }

    BatchSettings batches() {
      return Objects.requireNonNull(settings.batches());
    }

    Knobs knobs() {
      return settings.knobs();
    }

    Split split() {
      return knobs().split();
    }

    boolean divides() {
      return split() != Split.NONE;
    }

    RowCodec codec() {
      return knobs().codec();
    }

    Fetch fetch() {
      return knobs().fetch();
    }

    Architecture kind() {
      return model.kind();
    }

    boolean sparse() {
      return features != null && !(features instanceof DenseFeatures);
    }

    /** Whether workers fetch features for the batches that they share. */
    boolean shared() {
      return !alone() && inBatches();
    }

    /** Whether gradients travel while workers go on. */
    boolean racom() {
      return knobs().sync() instanceof Sync.Racom;
    }

    /** Whether workers compute every batch together. */
    boolean together() {
      return inBatches() && knobs().together(workers);
    }

    /** Whether input layers are sampled from a cache. */
    boolean gns() {
      return fetch().cache().rows() == Fetch.Rows.GNS;
    }

    /** Layers that each worker computes for its own seeds; one that is to be chosen will fit. */
    int depth() {
      return knobs().batchSplit().depth().layers();
    }

    /** Groups of workers, each of which computes batches together. */
    int groups() {
      return knobs().batchSplit().groups();
    }

    /** Whether seeds are divided because a dry run chose it for workers that were to share all. */
    boolean dividesSeedsByChoice() {
      Depth depth = knobs().batchSplit().depth();
      return split() == Split.SEEDS && depth.auto() && !depth.isOpen();
    }

    /** Whether samples are drawn hop by hop. */
    boolean hops() {
      return inBatches() && !batches().sampling().kind().induced();
    }

    /** Whether a batch's first aggregation cannot be made while its input is gathered. */
    boolean aggregatesLater() {
      return inBatches() && !batches().sumsInput(model, sparse());
    }
  }

  /** Something refused, and why. */
  private record Rule(Predicate<Asked> refuses, Function<Asked, String> because) {}

  private static Rule rule(Predicate<Asked> refuses, String because) {
    return new Rule(refuses, _ -> because);
  }

  private static Rule rule(Predicate<Asked> refuses, Function<Asked, String> because) {
    return new Rule(refuses, because);
  }

  /** In order: of several that refuse, the first says why. */
  private static final List<Rule> RULES =
      List.of(
          // split
          rule(
              a -> a.alone() && a.divides() && a.split() != Split.LAYERS,
              a ->
                  "--split "
                      + a.split()
                      + " is for several workers, and there is one: add --workers"),
          rule(
              a -> a.divides() && a.inBatches() && !a.split().inBatches(),
              a ->
                  "--split "
                      + a.split()
                      + " trains on the whole graph: leave --batch out, or use --split seeds"),
          rule(
              a -> a.divides() && !a.inBatches() && a.split().inBatches(),
              a ->
                  "--split "
                      + a.split()
                      + " divides batches: say how large they are with --batch, as in --batch 1024"),
          rule(
              a -> a.split() == Split.LAYERS && a.knobs().layers().stages() != a.workers(),
              a ->
                  "--split layers has a stage for each of the "
                      + a.workers()
                      + " workers: leave --stages out, or use --split hybrid"),
          rule(
              a ->
                  a.split() == Split.HYBRID
                      && (a.knobs().layers().workers() != a.workers()
                          || a.knobs().layers().ways() == 1),
              a ->
                  "--split hybrid needs several workers for each stage, everywhere as many: "
                      + a.workers()
                      + " workers do not make "
                      + a.knobs().layers().stages()
                      + " such stages"),
          rule(
              a -> a.layers() && a.model().norm() == NormKind.BATCH,
              "norm batch is over all rows at once, and chunks pass one after another: use --norm"
                  + " layer"),
          rule(
              a -> a.layers() && a.codec().kind().chooses(),
              a ->
                  "stages hand rows on at one width: use --codec bits2, bits4 or bits8, not "
                      + a.codec().kind()),
          rule(
              a -> a.layers() && a.codec().delta() && a.codec().kind().rounds(),
              "stages hand on rows as they are or rounded, and remember none: use --codec-delta"
                  + " off"),
          rule(
              a -> a.layers() && a.codec().preAggregate() && !a.alone(),
              "--pre-aggregate on sums rows of the whole graph, and chunks need them one by one: use"
                  + " --pre-aggregate off"),
          rule(
              a -> a.split() == Split.LAYERS && a.knobs().overlap() && !a.alone(),
              "--overlap on is for workers that share the graph; stages of one worker go on while"
                  + " rows travel in any case: leave it out"),
          rule(
              a -> a.split() == Split.LAYERS && a.knobs().sync().halfSums() && !a.alone(),
              "--half-sums on is for workers that sum gradients, and stages of one worker have"
                  + " parameters of their own: leave it out"),
          rule(
              a ->
                  a.knobs().split() != Split.BATCH
                      && !a.knobs().batchSplit().equals(BatchSplit.DEFAULT)
                      && !a.dividesSeedsByChoice(),
              "--depth, --presample and --groups are for workers that compute batches together: use"
                  + " --split batch"),
          rule(
              a -> a.together() && (a.workers() % a.groups() != 0 || a.workers() == a.groups()),
              a ->
                  "--groups needs several workers in each group, everywhere as many: "
                      + a.workers()
                      + " workers do not make "
                      + a.groups()
                      + " such groups"),
          rule(
              a -> a.together() && a.depth() >= Math.max(1, a.model().hops()),
              a ->
                  "of "
                      + a.model().hops()
                      + " hops, "
                      + a.depth()
                      + " by each worker alone leave owners nothing to do: use a smaller --depth,"
                      + " or --split seeds"),
          rule(
              a -> a.together() && a.depth() > 0 && a.kind() == ModelKind.SGC,
              "sgc takes its hops in one, which cannot be cut: use --depth 0 or --split seeds"),
          // codec
          rule(
              a -> a.codec().delta() && !a.codec().kind().rounds(),
              "--codec-delta on is for rows that are rounded, and fp32 sends them as they are: use"
                  + " --codec bits2, bits4, bits8 or adaptive"),
          rule(
              a -> a.alone() && a.codec().kind().rounds(),
              a -> betweenWorkers("--codec " + a.codec().kind())),
          rule(a -> a.alone() && a.codec().preAggregate(), betweenWorkers("--pre-aggregate on")),
          rule(
              a -> a.codec().kind().rounds() && a.kind().attention(),
              a ->
                  a.kind()
                      + " weighs neighbours by rows that "
                      + a.codec().kind()
                      + " would round: use --codec fp32"),
          rule(
              a -> a.codec().kind().rounds() && a.kind().takesLargest(),
              a ->
                  a.kind()
                      + " takes the largest of rows, and of rounded ones that is too large: use"
                      + " --codec fp32"),
          rule(
              a -> a.codec().preAggregate() && a.inBatches(),
              "--pre-aggregate on sums rows of the whole graph, and batches fetch rows one by one:"
                  + " use --pre-aggregate off"),
          rule(
              a -> a.codec().preAggregate() && a.kind().attention(),
              a ->
                  a.kind()
                      + " weighs neighbours one by one, so that nobody can sum them beforehand: use"
                      + " --pre-aggregate off"),
          rule(
              a -> a.codec().preAggregate() && a.kind().takesLargest(),
              a -> a.kind() + " takes the largest of rows, not their sum: use --pre-aggregate off"),
          rule(
              a -> a.codec().kind().chooses() && a.together(),
              a ->
                  "rows of batches go elsewhere in every step, so that none has a width of its own:"
                      + " use --codec bits2, bits4 or bits8, not "
                      + a.codec().kind()),
          rule(
              a -> a.codec().delta() && a.together(),
              "rows of batches go elsewhere in every step, so that nobody remembers them: use"
                  + " --codec-delta off"),
          rule(
              a -> a.codec().kind().chooses() && a.inBatches(),
              a ->
                  "batches fetch features at one width: use --codec bits2, bits4 or bits8, not "
                      + a.codec().kind()),
          rule(
              a -> a.codec().delta() && a.inBatches(),
              "batches fetch features, which do not change, so that no change can be rounded: use"
                  + " --codec-delta off"),
          rule(
              a -> a.codec().kind().rounds() && a.inBatches() && !a.together() && a.sparse(),
              a ->
                  "batches fetch sparse features as they are, and "
                      + a.codec().kind()
                      + " is for rows of dense ones: use --codec fp32"),
          rule(
              a -> a.together() && a.settings().halfWidth(),
              "half width is for features that each worker gathers for itself, and with --split"
                  + " batch owners send rows: use --split seeds, or a codec"),
          rule(
              a -> a.codec().kind().rounds() && a.inBatches() && a.settings().halfWidth(),
              a ->
                  "features are fetched as bfloat16 with --half, or at the bits of --codec "
                      + a.codec().kind()
                      + ", not both"),
          // overlap
          rule(a -> a.alone() && a.knobs().overlap(), betweenWorkers("--overlap on")),
          rule(
              a -> a.knobs().overlap() && a.inBatches(),
              "--overlap on is for rows of the whole graph, and batches travel before they are"
                  + " needed: use --ahead"),
          // sync
          rule(
              a -> a.alone() && a.knobs().sync().halfSums(),
              "--half-sums on is for sums between workers, and there is one: add --workers"),
          rule(
              a -> a.racom() && !a.inBatches(),
              "--sync racom has some steps under way, and the whole graph is one step an epoch: say"
                  + " how large batches are with --batch, as in --batch 1024"),
          rule(
              a -> a.racom() && a.knobs().sync().halfSums(),
              "--half-sums on is for sums, and with --sync racom gradients go from worker to worker:"
                  + " use --gradient-codec bits8"),
          rule(
              a -> !a.racom() && a.knobs().sync().codec() == GradientCodec.BITS8,
              "--gradient-codec bits8 is for gradients that go from worker to worker, and sums in"
                  + " every step are of fp32 or bfloat16: use --sync racom, with --staleness 1 to wait"
                  + " in every step"),
          rule(
              a -> a.alone() && a.knobs().sync().codec() == GradientCodec.BITS8,
              "--gradient-codec bits8 is for gradients between workers, and there is one: add"
                  + " --workers"),
          rule(
              a ->
                  a.alone()
                      && a.knobs().sync() instanceof Sync.Racom racom
                      && racom.consistency().on(),
              "--consistency compares the models of several workers, and there is one: add"
                  + " --workers"),
          // queues
          rule(a -> a.knobs().queues().on() && !a.inBatches(), forBatches("--queues")),
          rule(
              a -> a.knobs().queues().on() && a.fetch().ahead(),
              "--queues loads batches ahead, as many as queues hold: leave --ahead out"),
          // fetch
          rule(
              a -> !a.inBatches() && a.fetch().macrobatch() != Fetch.DEFAULT.macrobatch(),
              forBatches("--macrobatch")),
          rule(
              a -> !a.inBatches() && a.fetch().memory() != Fetch.DEFAULT.memory(),
              forBatches("--batch-memory")),
          rule(a -> !a.inBatches() && a.fetch().ahead(), forBatches("--ahead")),
          rule(
              a -> !a.inBatches() && a.fetch().cache().keeps(),
              a -> forBatches(a.gns() ? "--cache gns" : "--cache-bytes")),
          rule(
              a -> !a.inBatches() && a.fetch().aggregatedInputs(),
              forBatches("--cache aggregated")),
          rule(
              a ->
                  !a.inBatches()
                      && !a.alone()
                      && a.fetch().topology() != Fetch.Topology.PARTITIONED,
              forBatches("--topology")),
          rule(
              a -> a.alone() && a.fetch().topology() != Fetch.Topology.PARTITIONED,
              "--topology is for several workers, and there is one: add --workers"),
          rule(
              a -> a.together() && a.fetch().topology() != Fetch.Topology.PARTITIONED,
              "--topology is for workers that sample neighbours of others, and with --split batch"
                  + " owners do: leave it out"),
          rule(
              a ->
                  a.alone()
                      && a.fetch().memory() != Fetch.DEFAULT.memory()
                      && a.fetch().macrobatch() == 0,
              "one worker loads batches one by one: with --batch-memory, say --macrobatch too"),
          rule(
              a -> a.fetch().cache().keeps() && a.alone() && !a.fetch().inPlace(),
              a ->
                  "a cache keeps rows of other workers or of mapped features, and one worker has all"
                      + " of them in memory: leave "
                      + (a.gns() ? "--cache gns" : "--cache-bytes")
                      + " out"),
          rule(
              a -> a.fetch().cache().keeps() && a.alone() && a.settings().halfWidth(),
              "one worker with half width has a copy of all features in memory, and nothing to"
                  + " cache: leave --half or the cache out"),
          rule(
              a -> a.gns() && a.together(),
              "--cache gns is for workers that sample from one cache, each for its own seeds, and"
                  + " with --split batch everyone loads its own vertices: use --split seeds"),
          rule(
              a -> a.gns() && a.fetch().aggregatedInputs(),
              "--cache aggregated never samples the input layer, and --cache gns samples it from the"
                  + " cache: use either"),
          rule(
              a ->
                  a.gns()
                      && (a.batches().sampling().kind() != SamplerKind.NEIGHBOUR
                          || a.batches().sampling().replace()
                          || a.batches().sampling().byWeight()),
              "--cache gns draws neighbours that are cached, without replacement and all alike: use"
                  + " --sampler neighbour, and leave --replace and --by-weight out"),
          rule(
              a -> a.gns() && a.fetch().cache().by() == Fetch.Rank.PRESAMPLED,
              "--cache gns wants a worth of every vertex, and a presampled epoch misses some: use"
                  + " --cache-rank degree or vip"),
          rule(
              a ->
                  a.fetch().cache().keeps()
                      && a.fetch().cache().by() == Fetch.Rank.VIP
                      && a.inBatches()
                      && a.batches().sampling().kind().layerwise(),
              a ->
                  "--cache-rank vip reckons with the arcs that each vertex draws, and the "
                      + a.batches().sampling().kind()
                      + " sampler draws whole layers: use presampled"),
          rule(
              a -> a.fetch().cache().keeps() && a.together() && !a.fetch().inPlace(),
              "a cache keeps rows of mapped features, and with --split batch each worker has those"
                  + " that it loads in memory: leave --cache-bytes out"),
          rule(
              a -> a.fetch().aggregatedInputs() && a.aggregatesLater(),
              a ->
                  "inputs can be aggregated once where the first layer sums the dense features of"
                      + " sampled neighbours, with nothing learnt or dropped before, as in gcn, sage,"
                      + " gin and sgc; not in "
                      + a.kind()
                      + " as it is here"),
          // what is trained
          rule(
              a -> a.hops() && a.batches().sampling().hops() != a.model().hops(),
              a ->
                  "this %s takes %d hops and a fan-out for each, not %d"
                      .formatted(a.kind(), a.model().hops(), a.batches().sampling().hops())),
          rule(
              a -> a.settings().halfWidth() && a.kind().aggregation() == null,
              a -> "half width is for models that sum rows; not for " + a.kind()),
          rule(
              a ->
                  a.settings().halfWidth()
                      && a.hops()
                      && (a.aggregatesLater() || a.fetch().aggregatedInputs()),
              a ->
                  "half width in batches is for dense features that the first layer sums, with"
                      + " nothing learnt, dropped or aggregated before, as in gcn, sage, gin and sgc;"
                      + " not for "
                      + a.kind()
                      + " as it is here"),
          rule(
              a -> a.shared() && a.batches().sampling().kind().induced(),
              a ->
                  "the "
                      + a.batches().sampling().kind()
                      + " sampler needs all arcs at one worker: use neighbour or labor"),
          rule(
              a -> a.together() && a.batches().sampling().kind().layerwise(),
              a ->
                  "the "
                      + a.batches().sampling().kind()
                      + " sampler draws for all rows of a batch at once, and with --split batch"
                      + " owners draw for theirs: use --split seeds"),
          rule(
              a ->
                  a.shared()
                      && a.batches().sampling().kind().layerwise()
                      && a.fetch().topology() != Fetch.Topology.REPLICATED,
              a ->
                  "the "
                      + a.batches().sampling().kind()
                      + " sampler draws for all rows of a batch at once, and needs all arcs at every"
                      + " worker: use --topology replicated"),
          rule(
              a -> a.shared() && a.model().norm() == NormKind.BATCH,
              "norm batch needs all rows of a batch at one worker: use norm layer, or one worker"));

  private static String betweenWorkers(String option) {
    return option + " is for rows between workers, and there is one: add --workers";
  }

  private static String forBatches(String option) {
    return option + " is for batches: say how large with --batch, as in --batch 1024";
  }

  /**
   * Refuses a preset that cannot be.
   *
   * @param workers that train together
   */
  public static void check(Preset preset, int workers) {
    if (workers == 1 && !preset.forOne()) {
      throw new IllegalArgumentException(
          "preset " + preset + " is for several workers, and there is one: say --workers 4");
    }
  }

  /**
   * Refuses what does not go together, with one sentence.
   *
   * @param workers that train together
   * @param features of the graph; null while it is not open: what depends on them is then let pass
   */
  public static void check(
      TrainSettings settings, ModelSpec model, int workers, @Nullable Features features) {
    Knobs knobs = settings.knobs().among(workers, settings.batches() != null);
    Asked asked = new Asked(settings.withKnobs(knobs), model, workers, features);
    for (Rule rule : RULES) {
      if (rule.refuses.test(asked)) {
        throw new IllegalArgumentException(rule.because.apply(asked));
      }
    }
  }

  /**
   * Settings as so many workers have them, what was left open filled in; what does not go together
   * is refused as by {@link #check}.
   */
  public static TrainSettings settled(
      TrainSettings settings, ModelSpec model, int workers, @Nullable Features features) {
    check(settings, model, workers, features);
    return settings.withKnobs(settings.knobs().among(workers, settings.batches() != null));
  }
}
