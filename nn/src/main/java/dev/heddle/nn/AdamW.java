package dev.heddle.nn;

import dev.heddle.kernel.AdamUpdate;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * AdamW (Loshchilov &amp; Hutter, <i>Decoupled Weight Decay Regularization</i>, 2019): weight decay
 * shrinks the parameters beside the gradient, as in torch by learning rate × decay a step; the
 * formula is at {@link AdamUpdate}.
 */
public final class AdamW implements Optimizer {
  private final AdamSteps steps;

  private AdamW(AdamSteps steps) {
    this.steps = steps;
  }

  /** An optimizer of these parameters, with two matrices of memory for each. */
  public static AdamW over(Memory memory, List<Parameter> parameters, AdamSettings settings) {
    return new AdamW(new AdamSteps(memory, parameters, settings, AdamUpdate.Decay.DECOUPLED));
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
