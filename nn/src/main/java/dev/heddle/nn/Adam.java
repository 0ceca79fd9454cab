package dev.heddle.nn;

import dev.heddle.kernel.AdamUpdate;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * Adam (Kingma &amp; Ba, <i>Adam: A Method for Stochastic Optimization</i>, 2015), with weight
 * decay as an L2 term of the gradient, as in torch; the formula is at {@link AdamUpdate}.
 */
public final class Adam implements Optimizer {
  private final AdamSteps steps;

  private Adam(AdamSteps steps) {
    this.steps = steps;
  }

  /** An optimizer of these parameters, with two matrices of memory for each. */
  public static Adam over(Memory memory, List<Parameter> parameters, AdamSettings settings) {
    return new Adam(new AdamSteps(memory, parameters, settings, AdamUpdate.Decay.COUPLED));
  }

  @Override
  public void step(ThreadTeam team, float learningRate) {
    steps.step(team, learningRate);
  }

  @Override
  public OptimizerState state() {
    return steps.state();
  }
}
