package dev.heddle.nn;

import dev.heddle.kernel.AdamUpdate;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/** The steps that {@link Adam} and {@link AdamW} share; they differ in how decay enters. */
final class AdamSteps {
  private final Parameter[] parameters;
  private final AdamUpdate.Target[] targets;
  private final AdamUpdate update;
  private final double weightDecay;
  private final OptimizerState state = new OptimizerState();

  AdamSteps(Memory memory, List<Parameter> list, AdamSettings settings, AdamUpdate.Decay decay) {
    parameters = list.toArray(Parameter[]::new);
    targets = new AdamUpdate.Target[parameters.length];
    for (int i = 0; i < targets.length; i++) {
      Parameter p = parameters[i];
      targets[i] =
          new AdamUpdate.Target(
              p.value(),
              p.grad(),
              state.allocate(memory, p, "mean"),
              state.allocate(memory, p, "square"));
    }
    update = AdamUpdate.of(decay, settings.beta1(), settings.beta2(), settings.epsilon());
    weightDecay = settings.weightDecay();
  }

  void step(ThreadTeam team, float learningRate) {
    update.begin(state.advance(), learningRate);
    for (int i = 0; i < targets.length; i++) {
      update.run(team, targets[i], weightDecay * parameters[i].weightDecay());
    }
  }

  OptimizerState state() {
    return state;
  }
}
