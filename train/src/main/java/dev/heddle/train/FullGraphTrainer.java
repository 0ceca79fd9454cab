package dev.heddle.train;

import dev.heddle.graph.Split;
import dev.heddle.kernel.LibraryPages;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.GradientClip;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trains on the whole graph at once: every epoch is one step over all vertices, those of this
 * worker's share here.
 *
 * <p>All memory is taken when the trainer is made; epochs allocate nothing.
 */
final class FullGraphTrainer implements Trainer {
  private final ThreadTeam team;
  private final Program program;
  private final List<Parameter> parameters;
  private final Loss loss;
  private final Metric metric;
  private final Optimizer optimizer;
  private final @Nullable GradientClip clip;
  private final TrainSettings settings;
  private final Step step;
  private final Share share;
  private long updateNanos;
  private boolean started;

  FullGraphTrainer(Share share, Model model, TrainSettings settings, Place place) {
    this.share = share;
    this.settings = settings;
    team = place.team();
    Memory memory = place.memory();
    parameters = model.parameters().all();
    var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth());
    program = share.record(model, options, memory).allocate(memory, team);
    loss = Loss.of(memory, share.labels(), share.split().train(), share.trainVertices());
    metric = settings.metric() == null ? loss.usualMetric() : settings.metric();
    // Over no rows, it only tells whether it can judge such labels: better now than after an epoch.
    double _ = metric.evaluate(program.output(), share.labels(), new int[0]);
    optimizer = settings.optimizer().create(memory, parameters, settings);
    clip =
        settings.clipNorm() == 0
            ? null
            : GradientClip.byNorm(memory, parameters, settings.clipNorm());
    step = new Step(settings.seed());
  }

  /** Where a trainer works: threads, and memory that lives as long as it does. */
  record Place(ThreadTeam team, Memory memory) {}

  /** One step: forward, backward, update. */
  @Override
  public double epoch(int epoch) {
    share.before(epoch);
    step.train(epoch, 0);
    for (int i = 0; i < parameters.size(); i++) {
      parameters.get(i).zeroGrad();
    }
    program.forward(step);
    if (!started) {
      // From now on all values are in memory: what only starting has read need not be beside them.
      LibraryPages.giveBack();
      started = true;
    }
    double value = loss.gradient(team, program.output(), program.outputGrad());
    program.backward(step);
    share.sumGradients(parameters);
    if (clip != null) {
      clip.apply(team);
    }
    long start = System.nanoTime();
    optimizer.step(team, settings.learningRate().at(epoch - 1));
    updateNanos += System.nanoTime() - start;
    share.after();
    return share.sum(value);
  }

  @Override
  public Scores evaluate() {
    Matrix output = predict();
    Split split = share.split();
    return new Scores(
        share.score(metric, output, split.train()),
        share.score(metric, output, split.valid()),
        share.score(metric, output, split.test()));
  }

  @Override
  public Matrix predict() {
    program.forward(step.evaluate());
    return program.output();
  }

  @Override
  public Optimizer optimizer() {
    return optimizer;
  }

  @Override
  public Training.StageSeconds stages(double epochSeconds) {
    double update = updateNanos * 1e-9;
    return new Training.StageSeconds(0, 0, epochSeconds - update, update, 0);
  }

  @Override
  public Metric metric() {
    return metric;
  }

  /** Bytes planned for values and gradients. */
  long programBytes() {
    return program.bytes();
  }
}
