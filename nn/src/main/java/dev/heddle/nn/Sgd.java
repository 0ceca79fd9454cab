package dev.heddle.nn;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SgdUpdate;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * Stochastic gradient descent with momentum (Sutskever et al., <i>On the importance of
 * initialization and momentum in deep learning</i>, 2013) in torch's form, with weight decay as an
 * L2 term of the gradient; the formula is at {@link SgdUpdate}.
 */
public final class Sgd implements Optimizer {
  private final Parameter[] parameters;
  private final SgdUpdate.Target[] targets;
  private final SgdUpdate update;
  private final double weightDecay;
  private final OptimizerState state = new OptimizerState();

  private Sgd(Memory memory, List<Parameter> list, SgdSettings settings) {
    parameters = list.toArray(Parameter[]::new);
    targets = new SgdUpdate.Target[parameters.length];
    for (int i = 0; i < targets.length; i++) {
      Parameter p = parameters[i];
      targets[i] = new SgdUpdate.Target(p.value(), p.grad(), state.allocate(memory, p, "velocity"));
    }
    update = SgdUpdate.of(settings.momentum(), settings.nesterov());
    weightDecay = settings.weightDecay();
  }

  /** An optimizer of these parameters, with one matrix of memory for each. */
  public static Sgd over(Memory memory, List<Parameter> parameters, SgdSettings settings) {
    return new Sgd(memory, parameters, settings);
  }

  @Override
  public void step(ThreadTeam team, float learningRate) {
    long _ = state.advance();
    for (int i = 0; i < targets.length; i++) {
      double decay = weightDecay * parameters[i].weightDecay();
      update.run(team, targets[i], learningRate, decay);
    }
  }

  @Override
  public OptimizerState state() {
    return state;
  }
}
