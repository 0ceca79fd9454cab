package dev.heddle.train.batch;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowRounding;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a worker's batches read features: which matrices, in which rows, and how rows travel. */
final class BatchFeatures {
  private final LocalGraph local;
  private final Worker worker;
  private final TrainSettings settings;
  private final @Nullable Matrix aggregated;
  private final boolean half;
  private final boolean inPlace;
  private final Memory memory;

  /**
   * Features for the settings' batches.
   *
   * @param aggregated the aggregation of all neighbours of this worker's vertices, which is read
   *     beside their own features; null where the last hop is sampled
   * @param half whether they are rounded to bfloat16
   */
  BatchFeatures(
      LocalGraph local,
      TrainSettings settings,
      @Nullable Matrix aggregated,
      boolean half,
      Memory memory) {
    this.local = local;
    this.settings = settings;
    this.aggregated = aggregated;
    this.half = half;
    this.memory = memory;
    worker = local.worker();
    // What was aggregated beforehand lies beside a copy of the features, row by row.
    inPlace = settings.knobs().fetch().inPlace() && aggregated == null && !half;
  }

  MacroLoader.Source source(boolean sumsLastHop) {
    return new MacroLoader.Source(places(), own(), sumsLastHop);
  }

  /** Null where all features are read where they lie: nothing has to be fetched. */
  @Nullable FeaturePlaces places() {
    Fetch fetch = settings.knobs().fetch();
    boolean together = fetch.macrobatch() > 1 || fetch.cache().keeps();
    if (worker.isAlone() && !(inPlace && together)) {
      return null;
    }
    if (inPlace) {
      return FeaturePlaces.inPlace(worker.owners(), worker.rank(), memory);
    }
    return half
        ? FeaturePlaces.of(members(), worker.owners(), memory)
        : FeaturePlaces.of(local.part(), worker.owners(), memory);
  }

  private int[] members() {
    return worker.owners().members(worker.rank());
  }

  private OwnFeatures own() {
    Features whole = TrainableGraph.features(local.whole());
    if (half && whole instanceof DenseFeatures(Matrix matrix)) {
      HalfMatrix halves =
          worker.isAlone()
              ? HalfFeatures.of(matrix, worker.team(), memory)
              : HalfFeatures.of(matrix, members(), worker.team(), memory);
      var column = new OwnFeatures.Column(halves.words(), RowForm.AS_IT_IS);
      return new OwnFeatures.Dense(List.of(column), /* paged= */ false);
    }
    return switch (worker.isAlone() || inPlace ? whole : local.features()) {
      case DenseFeatures(Matrix matrix) -> new OwnFeatures.Dense(columns(matrix), inPlace);
      case SparseFeatures sparse -> new OwnFeatures.Sparse(sparse.byRow());
    };
  }

  private List<OwnFeatures.Column> columns(Matrix features) {
    List<Matrix> matrices = aggregated == null ? List.of(features) : List.of(features, aggregated);
    CodecKind codec = settings.knobs().codec().kind();
    if (!codec.rounds()) {
      return matrices.stream().map(m -> new OwnFeatures.Column(m, RowForm.AS_IT_IS)).toList();
    }
    RowIds vertices = inPlace ? null : local.part().ids();
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
