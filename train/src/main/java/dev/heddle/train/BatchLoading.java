package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.AccessOdds;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowRounding;
import dev.heddle.nn.ModelKind;
import dev.heddle.train.batch.CacheRanking;
import dev.heddle.train.batch.MacroLoader;
import dev.heddle.train.batch.Macrobatch;
import dev.heddle.train.batch.OwnFeatures;
import dev.heddle.train.batch.RowForm;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How the batches of one of several workers are loaded: its seeds of each, who draws arcs, where
 * features come from and which of others' are kept, and how many batches are loaded at once.
 */
final class BatchLoading {
  private final Graph graph;
  private final Group group;
  private final Partition owners;
  private final FetchSettings settings;
  private final NeighbourSampler.Place place;
  private final SampleSettings sampling;
  private final OwnArcs arcs;
  private final SeedOrder seeds;
  private final MacroLoader loader;
  private final MacroSize size;

  /**
   * What is loaded for.
   *
   * @param given whether the model's first aggregation is made before the model sees anything
   * @param aggregated that aggregation over all neighbours of this worker's vertices, which then
   *     travels with features in place of the last hop; null where it is sampled
   */
  record Purpose(
      ModelKind kind, TrainSettings settings, boolean given, @Nullable Matrix aggregated) {
    private BatchSettings batches() {
      BatchSettings batches = MiniBatchTrainer.requireBatches(settings);
      return aggregated == null ? batches : batches.withoutLastHop();
    }

    private boolean lastHopGathers() {
      return given && aggregated == null;
    }

    private OwnFeatures own(SeedParallelTrainer.Subject subject) {
      return switch (subject.features()) {
        case DenseFeatures(Matrix matrix) -> {
          List<Matrix> matrices =
              aggregated == null ? List.of(matrix) : List.of(matrix, aggregated);
          yield new OwnFeatures.Dense(columns(matrices, subject), subject.inPlace());
        }
        case SparseFeatures sparse -> new OwnFeatures.Sparse(sparse.byRow());
      };
    }

    private List<OwnFeatures.Column> columns(
        List<Matrix> matrices, SeedParallelTrainer.Subject subject) {
      HaloCodec codec = settings.halo().codec();
      if (!codec.rounds()) {
        return matrices.stream().map(m -> new OwnFeatures.Column(m, RowForm.AS_IT_IS)).toList();
      }
      RowIds vertices = subject.inPlace() ? null : subject.share().part().ids();
      List<OwnFeatures.Column> columns = new ArrayList<>();
      for (Matrix matrix : matrices) {
        // Neither of an epoch nor of a batch: a vertex is rounded alike in all of them.
        long key = Draws.key(Draws.Domain.QUANTISE, settings.seed(), 0, 0, columns.size());
        var rounding = new RowRounding(codec.bits(), key);
        columns.add(new OwnFeatures.Column(matrix, new RowForm.Rounded(rounding, vertices)));
      }
      return columns;
    }
  }

  private BatchLoading(
      SeedParallelTrainer.Subject subject, Purpose purpose, NeighbourSampler.Place place) {
    graph = subject.graph();
    group = subject.team().group();
    owners = subject.team().partition();
    settings = purpose.settings.fetch();
    this.place = place;
    BatchSettings batches = purpose.batches();
    sampling = batches.sampling();
    seeds =
        SeedOrder.of(TrainableGraph.split(graph).train(), batches.size(), purpose.settings.seed())
            .seeing(v -> owners.partOf(v) == group.rank());
    arcs = arcs(purpose.settings.memoryLimit());
    boolean gathers = purpose.lastHopGathers();
    var needs = new BlockNeeds(purpose.kind.selfLoops(), purpose.kind.aggregation(), gathers);
    MacroSampler sampler = MacroSampler.of(arcs, sampling, needs, place);
    OwnFeatures own = purpose.own(subject);
    FeaturePlaces places =
        subject.inPlace()
            ? FeaturePlaces.inPlace(owners, group.rank(), place.memory())
            : FeaturePlaces.of(subject.share().part(), owners, place.memory());
    var source = new MacroLoader.Source(places, own, gathers);
    // A group for loading alone: it goes on while gradients travel.
    Group alone = group.subgroup(IntStream.range(0, group.size()).toArray());
    loader = MacroLoader.of(alone, sampler, source, place);
    int slots = batches.ahead() ? 2 : 1;
    size = MacroSize.of(group, loader, seeds, new MacroSize.Wish(settings, slots));
    if (settings.cache().bytes() > 0) {
      loader.keep(mostWanted(cacheRows(own)));
    }
  }

  static BatchLoading of(
      SeedParallelTrainer.Subject subject, Purpose purpose, NeighbourSampler.Place place) {
    return new BatchLoading(subject, purpose, place);
  }

  private OwnArcs arcs(long memoryLimit) {
    Csr in = graph.in();
    long bytes = 8L * in.rows() + (in.weights() == null ? 4 : 8) * in.arcs();
    boolean everything =
        switch (settings.place().topology()) {
          case PARTITIONED -> false;
          case REPLICATED -> true;
          case AUTO -> {
            long[] tooLarge = {bytes > memoryLimit / 4 ? 1 : 0};
            group.sum(tooLarge);
            yield tooLarge[0] == 0;
          }
        };
    if (everything) {
      return OwnArcs.everything(in, owners, group.rank());
    }
    return settings.place().inPlace()
        ? OwnArcs.inPlace(in, owners, group.rank())
        : OwnArcs.of(in, owners, group.rank(), place.memory());
  }

  /** Rows that a cache has room for. */
  private int cacheRows(OwnFeatures own) {
    long eightRows = 0;
    if (own instanceof OwnFeatures.Dense(List<OwnFeatures.Column> columns, _)) {
      for (OwnFeatures.Column column : columns) {
        // Memory that grows has an eighth to spare.
        eightRows += Matrix.bytes(9, column.own().cols());
      }
    }
    return (int) Math.min(graph.vertices(), 8 * settings.cache().bytes() / eightRows);
  }

  private int[] mostWanted(int most) {
    return switch (settings.cache().by()) {
      case PRESAMPLED -> {
        try (Macrobatch scratch = loader.newMacrobatch(size.batches())) {
          yield CacheRanking.presampled(loader, seeds, scratch, most);
        }
      }
      case VIP -> {
        try (Memory scratch = place.memory().child()) {
          int[] train = TrainableGraph.split(graph).train();
          float each = Math.min(1, (float) seeds.total(0) / train.length);
          var odds = new AccessOdds(arcs, sampling, scratch);
          var learnt = new CacheRanking.Learnt(train, owners, each);
          yield CacheRanking.probable(group, odds, learnt, most);
        }
      }
    };
  }

  MacroLoader loader() {
    return loader;
  }

  /** This worker's seeds of each batch. */
  SeedOrder seeds() {
    return seeds;
  }

  FetchPlan plan() {
    var topology =
        arcs.everything() ? FetchSettings.Topology.REPLICATED : FetchSettings.Topology.PARTITIONED;
    return new FetchPlan(size.batches(), size.predictedBytes(), topology, size.warnings());
  }
}
