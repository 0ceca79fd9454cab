package dev.heddle.train.batch;

import dev.heddle.nn.program.Program;
import dev.heddle.train.loop.TrainStep;

/** Lets tests look at the outputs of a batch before gradients take their place. */
public final class StepProgram {
  private StepProgram() {}

  /** The program of a step of {@link BatchSteps}. */
  public static Program of(TrainStep step) {
    return ((BatchProgram) step).program();
  }
}
