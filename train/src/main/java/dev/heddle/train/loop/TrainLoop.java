package dev.heddle.train.loop;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.GradientClip;
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Step;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.Time;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes a model through epochs, step by step: zero gradients, forward, loss, backward; and once the
 * gradients of all workers are in ({@link GradientSync}), clip and update. Where steps come from,
 * and who else takes part, is not known here. Steps allocate nothing once their memory has grown to
 * what they need.
 */
public final class TrainLoop {
  private final Worker worker;
  private final Lane lane;
  private final ThreadTeam team;
  private final StepSource steps;
  private final List<Parameter> parameters;
  private final GradientSync gradients;
  private final @Nullable GradientClip clip;
  private final Optimizer optimizer;
  private final TrainSettings settings;
  private final Step step;
  private long epochNanos;

  /**
   * A loop at one worker.
   *
   * @param placement whose parameters are updated here
   */
  public TrainLoop(
      Worker worker,
      StepSource steps,
      ParameterPlacement placement,
      GradientSync gradients,
      TrainSettings settings) {
    this.worker = worker;
    this.steps = steps;
    this.gradients = gradients;
    this.settings = settings;
    lane = worker.lane();
    team = worker.team();
    parameters = placement.here();
    Memory memory = worker.memory();
    optimizer = settings.optimizer().create(memory, gradients.updated(), settings);
    clip =
        settings.clipNorm() == 0
            ? null
            : GradientClip.byNorm(
                memory, gradients.updated(), settings.clipNorm(), placement::total);
    step = new Step(settings.seed());
    gradients.updates(this::update, optimizer.state());
  }

  /**
   * One epoch.
   *
   * @param epoch counted from 1
   * @return the loss per training vertex of all workers, before the updates it led to
   */
  public double epoch(int epoch) {
    lane.begin(Stage.EPOCH, epoch, 0);
    int count = steps.begin(epoch);
    gradients.begin(count);
    double sum = 0;
    for (int number = 0; number < count; number++) {
      if (!worker.isAlone()) {
        worker.group().at("epoch " + epoch + ", step " + (number + 1));
      }
      TrainStep next = steps.next();
      double weight = next.weight();
      if (weight > 0) {
        gradients.awaitParameters();
        lane.begin(Stage.COMPUTE, epoch, number);
        sum += weight * gradient(next, step.train(epoch, number));
        lane.end();
        gradients.share(epoch, number);
      }
    }
    gradients.end();
    steps.end();
    lane.begin(Stage.EPOCH, Time.STARVED, epoch, 0);
    double total = worker.sum(sum);
    lane.end();
    epochNanos = lane.end();
    return total / steps.weight();
  }

  /**
   * Leaves the gradient of what this worker has of a step in the parameters; returns its share of
   * the loss.
   */
  private double gradient(TrainStep next, Step at) {
    for (int i = 0; i < parameters.size(); i++) {
      parameters.get(i).zeroGrad();
    }
    return next.idle() ? 0 : next.run(team, at);
  }

  /** The update of a step by the gradients of all workers, in whichever thread makes updates. */
  private void update(ThreadTeam threads, Lane recorded, int epoch, int number) {
    recorded.begin(Stage.UPDATE, epoch, number);
    if (clip != null) {
      clip.apply(threads);
    }
    optimizer.step(threads, settings.learningRate().at(epoch - 1));
    recorded.end();
  }

  public Optimizer optimizer() {
    return optimizer;
  }

  /** How long the last epoch took. */
  public double epochSeconds() {
    return epochNanos * 1e-9;
  }
}
