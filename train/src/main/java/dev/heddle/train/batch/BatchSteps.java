package dev.heddle.train.batch;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SampledShuffle;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Architecture;
import dev.heddle.nn.Model;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.TrainStep;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Training in batches: each step learns from some of the training vertices, through a sample of
 * what is around them. Several workers share every batch (data parallel): each learns from those of
 * its vertices that it owns, whose features and arcs it has; neighbours of neighbours are drawn by
 * their owners, by keys that are the same whoever draws, and their features are fetched. Losses are
 * divided by the seeds of the whole batch: however seeds are spread, a step is that of one worker,
 * and all take as many steps.
 *
 * <p>Or all compute a batch together, layer by layer (split parallelism): every vertex is sampled,
 * loaded and computed by its owner, and rows that others need travel before each layer ({@link
 * BatchShuffles}).
 *
 * <p>Batches are loaded several at a time: at the moment the first of them is asked for, or by a
 * thread that loads the next ones while these are trained on. What comes out is the same.
 */
public final class BatchSteps implements StepSource {
  private final Worker worker;
  private final int trainVertices;
  private final BatchLoading loading;
  private final @Nullable BatchShuffles shuffles;
  private final List<Slot> slots;
  private final Ahead<Slot> ahead;
  private @Nullable Slot current;
  private int given;
  private long gatherNanos;

  /** A macrobatch and the model over each of its batches. */
  private record Slot(Macrobatch macrobatch, List<BatchProgram> programs) {}

  /**
   * Batches as the settings say, which {@link Compatibility} has let pass; all workers make theirs
   * at the same point.
   */
  public BatchSteps(LocalGraph local, Model model, BatchSettings batches, TrainSettings settings) {
    worker = local.worker();
    trainVertices = local.trainVertices();
    Features features = TrainableGraph.features(local.whole());
    boolean together = settings.knobs().together(worker.group().size());
    InputSum sum = InputSum.of(batches, settings.knobs().fetch(), model.spec(), features, together);
    Matrix aggregated = sum == InputSum.WHOLE ? aggregated(local, model) : null;
    loading = new BatchLoading(local, model, batches, settings, sum, aggregated);
    try {
      Memory memory = worker.memory().child();
      ThreadTeam team = worker.team();
      BatchInput input =
          switch (features) {
            case DenseFeatures(Matrix matrix) -> {
              boolean half = sum == InputSum.SAMPLED && settings.halfWidth();
              yield new DenseInput(sum, matrix.cols(), half, team, memory);
            }
            case SparseFeatures sparse -> new SparseInput(sparse, team, memory);
          };
      var labels =
          new BatchLabels(
              TrainableGraph.labels(local.whole()), loading.sampling().mostSeeds(), team, memory);
      shuffles =
          together
              ? new BatchShuffles(
                  worker,
                  settings.knobs().codec().kind(),
                  model.hops(),
                  settings.knobs().batchSplit().depth())
              : null;
      var batchModel =
          new BatchModel(model, sum, settings.halfWidth(), input, labels, shuffles, team, memory);
      slots = Stream.generate(() -> slot(batchModel)).limit(loading.slots()).toList();
      ahead = new Ahead<>(slots, loading.rounds(), this::fill, "heddle-loader");
    } catch (RuntimeException | Error e) {
      loading.close();
      throw e;
    }
  }

  private static Matrix aggregated(LocalGraph local, Model model) {
    Architecture kind = model.spec().kind();
    Normalisation normalisation = kind.aggregation();
    return local.aggregated(
        normalisation == null ? Normalisation.SUM : normalisation, kind.selfLoops());
  }

  private Slot slot(BatchModel model) {
    Macrobatch macrobatch = loading.newMacrobatch();
    return new Slot(
        macrobatch,
        IntStream.range(0, macrobatch.size())
            .mapToObj(k -> new BatchProgram(model, macrobatch, k))
            .toList());
  }

  private void fill(Slot slot, int epoch, int round) {
    loading.load(epoch, round, slot.macrobatch);
  }

  /** Epochs up to this one will follow one another: batches may be loaded ahead of them. */
  public void expect(int lastEpoch) {
    ahead.expect(lastEpoch);
  }

  @Override
  public int begin(int epoch) {
    given = 0;
    ahead.begin(epoch);
    return loading.sampling().seeds().batches();
  }

  @Override
  public TrainStep next() {
    int number = given++;
    int place = number % loading.macrobatch();
    if (place == 0 || current == null) {
      current = ahead.next();
    }
    long start = System.nanoTime();
    BatchProgram program = current.programs.get(place);
    // How many seeds parts of the graph have is known when they are sampled.
    program.ready(
        worker.isAlone()
            ? current.macrobatch.batch(place).seeds()
            : loading.sampling().seeds().total(number));
    gatherNanos += System.nanoTime() - start;
    return program;
  }

  @Override
  public void end() {}

  @Override
  public double weight() {
    return trainVertices;
  }

  /** Arcs of all batches so far. */
  public long sampledArcs() {
    return loading.loader().arcs();
  }

  /** Seconds of sampling so far, perhaps while other batches were trained on. */
  public double sampleSeconds() {
    return loading.loader().sampleSeconds();
  }

  /** Seconds of fetching features, and of gathering them for each batch, so far. */
  public double fetchSeconds() {
    return loading.loader().fetchSeconds() + gatherNanos * 1e-9;
  }

  /** Seconds of waiting for batches that are loaded ahead. */
  public double idleSeconds() {
    return ahead.idleSeconds();
  }

  /**
   * Bytes of rows that workers send each other in an epoch for this one's part of batches, by its
   * first round; all workers call it.
   */
  public long rowBytes() {
    Slot first = slots.getFirst();
    return shuffles == null
        ? loading.featureBytes(first.macrobatch)
        : loading.rounds() * shuffledBytes(shuffles, first);
  }

  /** Bytes of shuffled rows of one round, which is sampled for that. */
  private long shuffledBytes(BatchShuffles by, Slot slot) {
    fill(slot, 1, 0);
    // What travels is known when the model has been recorded.
    slot.programs.getFirst().ready(1);
    long bytes = 0;
    for (int k = 0; k < slot.macrobatch.size(); k++) {
      SampledBatch batch = slot.macrobatch.batch(k);
      for (int hop = Math.max(0, by.depth() - 1); hop < batch.hops(); hop++) {
        SampledShuffle shuffle = batch.hop(hop).shuffle();
        bytes += by.bytes(hop, shuffle.sent(), shuffle.received());
      }
    }
    loading.loader().forgetCounts();
    return bytes;
  }

  /** How batches will be fetched. */
  public FetchPlan plan() {
    return loading.plan();
  }

  /** What was fetched so far; all workers call it. */
  public FetchReport fetched() {
    MacroLoader loader = loading.loader();
    long[] rows = {loader.fetchedRows(), loader.wantedRows(), loader.cachedRows()};
    worker.group().sum(rows);
    long bytes = loader.bytes() + slots.stream().mapToLong(s -> s.macrobatch.bytes()).sum();
    return new FetchReport(plan(), new FetchReport.Rows(rows[0], rows[1], rows[2]), bytes);
  }

  /** Ends loading; memory is freed by whoever gave it. */
  @Override
  public void close() {
    ahead.close();
    loading.close();
    if (shuffles != null) {
      shuffles.close();
    }
  }
}
