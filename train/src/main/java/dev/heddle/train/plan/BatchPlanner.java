package dev.heddle.train.plan;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Model;
import dev.heddle.train.batch.BatchSurvey;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans training in batches for the worker that has surveyed some of its own. What these need
 * differs from batch to batch: an epoch is taken to be like those surveyed. Evaluations are those
 * of the full graph.
 */
public final class BatchPlanner implements SplitPlanner {
  private final BatchSurvey survey;
  private final Model model;
  private final TrainSettings settings;
  private final Worker worker;
  private final @Nullable FullGraphPlanner evaluations;

  /**
   * A planner of one worker.
   *
   * @param evaluations null where there are none
   */
  public BatchPlanner(
      BatchSurvey survey,
      Model model,
      TrainSettings settings,
      Worker worker,
      @Nullable FullGraphPlanner evaluations) {
    this.survey = survey;
    this.model = model;
    this.settings = settings;
    this.worker = worker;
    this.evaluations = evaluations;
  }

  @Override
  public String split() {
    return worker.isAlone() ? "none" : settings.knobs().split().toString();
  }

  @Override
  public WorkerPlan plan(int rank) {
    if (rank != worker.rank()) {
      throw new IllegalArgumentException("each worker surveys its own batches");
    }
    int workers = worker.group().size();
    Memory scratch = worker.memory();
    var parameters = ParameterPlan.of(model, settings, workers, rank, scratch);
    MemoryNeed memory =
        MemoryNeed.NOTHING
            .plus(Purpose.GRAPH, survey.graphBytes())
            .plus(Purpose.FEATURES, survey.featureBytes())
            .plus(Purpose.VALUES, survey.valueBytes())
            .plus(Purpose.PARAMETERS, parameters.memory())
            .plus(Purpose.EXCHANGES, parameters.sumMemory())
            .plus(Purpose.BATCHES, survey.loadedBytes())
            .plus(Purpose.CACHE, survey.cacheBytes());
    Sent epoch =
        survey
            .loading()
            .plus(Kind.GRADIENT, parameters.sent().times(survey.steps()))
            .plus(FullGraphPlanner.control(workers, rank));
    if (evaluations == null) {
      return new WorkerPlan(memory, Sent.NOTHING, epoch, Sent.NOTHING);
    }
    WorkerPlan exact = evaluations.evaluations(rank, survey.cut());
    return new WorkerPlan(memory.plus(exact.memory()), exact.once(), epoch, exact.evaluation());
  }

  @Override
  public List<String> assumptions() {
    List<String> all = new ArrayList<>();
    all.add("batches are taken to be like the first ones of an epoch, which were sampled");
    if (settings.knobs().sync() instanceof Sync.Racom racom && racom.consistency().on()) {
      all.add("comparisons of models, two kilobytes a worker each, are not counted");
    }
    if (settings.scratch() != null) {
      all.add("memory is counted as if none of it lay in files of --scratch");
    }
    return all;
  }
}
