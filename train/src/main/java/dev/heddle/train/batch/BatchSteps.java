package dev.heddle.train.batch;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SampledShuffle;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Architecture;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.TrainStep;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.pipeline.Pipeline;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.Time;
import dev.heddle.train.pipeline.WorkerTimes;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
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
  /** Batches that tell what all are like, where workers send each other what they need. */
  private static final int SURVEYED = 8;

  /** Where one worker has all at hand, and only memory is asked for. */
  private static final int SURVEYED_ALONE = 3;

  /** Batches by which it is measured how fast a worker is. */
  private static final int REHEARSED = 4;

  /** Of the whole run. */
  private final Worker all;

  /** Of those who compute batches together, or divide them. */
  private final Worker worker;

  private final LocalGraph whole;
  private final LocalGraph local;
  private final Model model;
  private final int trainVertices;
  private final BatchLoading loading;
  private final @Nullable BatchShuffles shuffles;
  private final List<BatchSlot> slots;
  private final Pipeline<BatchSlot> pipeline;
  private final BatchQueues queues;
  private @Nullable BatchSlot current;
  private int epoch;
  private int given;
  private final Memory memory;
  private final long cutBytes;
  private final long aggregatedBytes;
  private final BatchWork work;

  /**
   * Batches as the settings say, which {@link Compatibility} has let pass; all workers make theirs
   * at the same point.
   */
  public BatchSteps(LocalGraph whole, Model model, BatchSettings batches, TrainSettings settings) {
    this.whole = whole;
    this.model = model;
    all = whole.worker();
    BatchGroups groups = BatchGroups.of(all, settings.knobs());
    local =
        groups.count() == 1
            ? whole
            : LocalGraph.of(whole.whole(), groups.within(), settings.knobs());
    worker = local.worker();
    trainVertices = local.trainVertices();
    work = BatchWork.of(model.hops());
    long before = worker.memory().bytes();
    Features features = TrainableGraph.features(local.whole());
    boolean together = settings.knobs().together(worker.group().size());
    InputSum sum = InputSum.of(batches, settings.knobs().fetch(), model.spec(), features, together);
    Matrix aggregated = sum == InputSum.WHOLE ? aggregated(local, model) : null;
    aggregatedBytes = aggregated == null ? 0 : Matrix.bytes(aggregated.rows(), aggregated.cols());
    loading = new BatchLoading(local, groups, model, batches, settings, sum, aggregated);
    cutBytes = worker.memory().bytes() - before - loading.bytes();
    memory = worker.memory().child();
    try {
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
                  settings.knobs().batchSplit().depth().layers())
              : null;
      var batchModel =
          new BatchModel(model, sum, settings.halfWidth(), input, labels, shuffles, team, memory);
      slots =
          Stream.generate(() -> new BatchSlot(loading::newMacrobatch, batchModel))
              .limit(loading.slots())
              .toList();
      var stages = loading.stages(BatchSlot::macrobatch);
      pipeline = Pipeline.feeding(worker.lane(), slots, loading.rounds(), stages);
      if (loading.swapsCaches()) {
        pipeline.epochsApart();
      }
      queues =
          new BatchQueues(
              pipeline,
              stages.size(),
              settings.knobs().queues(),
              worker.lane(),
              worker.memory(),
              settings.knobs().fetch().within(settings.memoryLimit()).memoryLimit(),
              loading.slots(),
              loading.longestQueue());
    } catch (RuntimeException | Error e) {
      loading.close();
      closeOwn();
      throw e;
    }
  }

  private static Matrix aggregated(LocalGraph local, Model model) {
    Architecture kind = model.spec().kind();
    Normalisation normalisation = kind.aggregation();
    return local.aggregated(
        normalisation == null ? Normalisation.SUM : normalisation, kind.selfLoops());
  }

  /** Epochs up to this one will follow one another: batches may be loaded ahead of them. */
  public void expect(int lastEpoch) {
    pipeline.expect(lastEpoch);
    loading.expect(lastEpoch);
  }

  @Override
  public int begin(int next) {
    epoch = next;
    given = 0;
    pipeline.begin(next);
    queues.beginEpoch();
    return loading.sampling().seeds().batches();
  }

  @Override
  public TrainStep next() {
    int number = given++;
    int place = number % loading.macrobatch();
    if (place == 0 || current == null) {
      current = pipeline.next();
      queues.took(current.bytes());
    }
    worker.lane().begin(Stage.GATHER, epoch, number);
    BatchProgram program = current.program(place);
    // How many seeds parts of the graph have is known when they are sampled.
    program.ready(
        worker.isAlone()
            ? current.macrobatch().batch(place).seeds()
            : loading.sampling().seeds().total(number));
    work.add(current.macrobatch().batch(place));
    worker.lane().end();
    return program;
  }

  @Override
  public void end() {
    pipeline.end();
  }

  @Override
  public double weight() {
    return trainVertices;
  }

  /** Arcs of all batches so far. */
  public long sampledArcs() {
    return loading.loader().arcs();
  }

  /** The model that is trained. */
  public Model model() {
    return model;
  }

  /** What there was to do for all batches so far, at this worker. */
  public BatchWork work() {
    return work.withLoaded(loading.loader().loadedRows());
  }

  /**
   * Loads the first batches of an epoch and trains on none of them, to see what all of them will
   * take and send; all workers call it before the first epoch.
   */
  public BatchSurvey survey() {
    BatchSlot slot = slots.getFirst();
    SeedOrder seeds = loading.sampling().seeds();
    int batches = worker.isAlone() ? SURVEYED_ALONE : SURVEYED;
    int rounds = Math.min(loading.rounds(), Math.ceilDiv(batches, loading.macrobatch()));
    // What was sent before has arrived where others have come here too.
    worker.group().barrier();
    Sent before = Sent.by(worker.group().traffic());
    long own = 0;
    long all = 0;
    BatchProgram.Bytes values = new BatchProgram.Bytes(0, 0);
    Sent shuffled = Sent.NOTHING;
    BatchWork seen = BatchWork.of(model.hops());
    int surveyed = 0;
    for (int round = 0; round < rounds; round++) {
      int first = round * loading.macrobatch();
      int count = loading.load(1, round, slot.macrobatch());
      for (int k = 0; k < count; k++) {
        own += seeds.count(first + k);
        all += seeds.total(first + k);
        values = slot.program(k).planned(values);
        seen.add(slot.macrobatch().batch(k));
        surveyed++;
        if (shuffles != null) {
          shuffled = shuffled.plus(shuffled(shuffles, slot.macrobatch().batch(k)));
        }
      }
    }
    worker.group().barrier();
    Sent sent = Sent.by(worker.group().traffic()).plus(before.times(-1));
    seen = seen.withLoaded(loading.loader().loadedRows());
    loading.loader().forgetCounts();
    long programs = (long) slots.size() * loading.macrobatch();
    long copied = featureCopyBytes();
    return new BatchSurvey(
        seeds.batches(),
        new Surveyed(sent, own, all, rounds)
            .ofEpoch(seeds, loading.rounds())
            .plus(loading.cacheSent())
            .plus(shuffled.scaled((double) seeds.batches() / Math.max(1, surveyed))),
        !worker.isAlone() && local == whole && local.halo() != null,
        loading.arcBytes() + cutBytes - copied,
        loading.featureBytes() + copied,
        memory.bytes() + values.shared() + programs * values.own(),
        loading.loader().bytes() + slots.size() * slot.bytes(),
        loading.cacheBytes(),
        seen,
        surveyed);
  }

  /**
   * Loads some batches and computes them, twice, so that the second time all is compiled and in
   * place; no parameter moves, but gradients are left behind. Workers that divide seeds all call
   * it.
   */
  public Rehearsal rehearse() {
    BatchSlot slot = slots.getFirst();
    SeedOrder seeds = loading.sampling().seeds();
    int rounds = Math.min(loading.rounds(), Math.ceilDiv(REHEARSED, loading.macrobatch()));
    long nanos = 0;
    BatchWork done = BatchWork.of(model.hops());
    for (int time = 0; time < 2; time++) {
      worker.timeline().restart();
      loading.loader().forgetCounts();
      nanos = 0;
      done = BatchWork.of(model.hops());
      for (int round = 0; round < rounds; round++) {
        int count = loading.load(1, round, slot.macrobatch());
        for (int k = 0; k < count; k++) {
          int number = round * loading.macrobatch() + k;
          worker.lane().begin(Stage.GATHER);
          BatchProgram program = slot.program(k).ready(Math.max(1, seeds.total(number)));
          worker.lane().end();
          long began = System.nanoTime();
          double _ = program.idle() ? 0 : program.run(worker.team(), new Step(0).train(1, number));
          nanos += System.nanoTime() - began;
          done.add(slot.macrobatch().batch(k));
        }
      }
    }
    WorkerTimes times = worker.timeline().times(worker.rank());
    return new Rehearsal(
        done.withLoaded(loading.loader().loadedRows()),
        1e-9 * times.nanos(Stage.SAMPLE, Time.BUSY),
        1e-9 * (times.nanos(Stage.FETCH, Time.BUSY) + times.nanos(Stage.GATHER, Time.BUSY)),
        1e-9 * nanos);
  }

  /** What this worker sends of shuffled rows for one batch, whose program has been recorded. */
  private static Sent shuffled(BatchShuffles by, SampledBatch batch) {
    Sent.Amount rows = Sent.Amount.NONE;
    for (int hop = Math.max(0, by.depth() - 1); hop < batch.hops(); hop++) {
      SampledShuffle shuffle = batch.hop(hop).shuffle();
      rows = rows.plus(by.sent(hop, shuffle.sentStarts(), shuffle.receivedStarts()));
    }
    return Sent.NOTHING.plus(Kind.HALO, rows);
  }

  /** Bytes of what was copied of features when the worker's part was cut out of the graph. */
  private long featureCopyBytes() {
    if (worker.isAlone() || cutBytes == 0) {
      return aggregatedBytes;
    }
    return aggregatedBytes
        + switch (local.features()) {
          case DenseFeatures(Matrix own) -> Matrix.bytes(own.rows(), own.cols());
          case SparseFeatures own ->
              Csr.bytes(own.rows(), own.byRow().arcs(), true)
                  + Csr.bytes(own.width(), own.byRow().arcs(), true);
        };
  }

  /** How batches will be fetched. */
  public FetchPlan plan() {
    return loading.plan();
  }

  /** How long the queues between this worker's stages were. */
  public QueueReport queues() {
    return queues.report();
  }

  /** What was fetched so far; all workers call it. */
  public FetchReport fetched() {
    MacroLoader loader = loading.loader();
    long[] rows = {
      loader.fetchedRows(),
      loader.wantedRows(),
      loader.cachedRows(),
      loader.keptRows(),
      loader.readRows()
    };
    all.group().sum(rows);
    long bytes = loader.bytes() + slots.stream().mapToLong(BatchSlot::bytes).sum();
    return new FetchReport(
        plan(), new FetchReport.Rows(rows[0], rows[1], rows[2], rows[3], rows[4]), bytes);
  }

  /** Ends loading; memory is freed by whoever gave it. */
  @Override
  public void close() {
    pipeline.close();
    loading.close();
    if (shuffles != null) {
      shuffles.close();
    }
    closeOwn();
  }

  /** Closes what is of this worker within its group alone. */
  private void closeOwn() {
    if (local != whole) {
      local.close();
    }
  }
}
