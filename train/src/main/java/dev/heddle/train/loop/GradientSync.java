package dev.heddle.train.loop;

import dev.heddle.comm.Kind;
import dev.heddle.comm.MatrixSum;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Parameter;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import java.util.List;

/**
 * Makes the gradients of workers that share parameters one: replaces them by their sums, in every
 * step. All sharers end with the same bits, so that their optimizers stay in step.
 */
public final class GradientSync {
  private final MatrixSum sum;
  private final Lane lane;

  /**
   * A sum of the gradients of a placement's parameters.
   *
   * @param half whether they are rounded to bfloat16 to be summed, which halves the bytes
   * @param lane of the thread that sums
   */
  public GradientSync(ParameterPlacement placement, boolean half, Memory memory, Lane lane) {
    this.lane = lane;
    List<Matrix> matrices = placement.here().stream().map(Parameter::grad).toList();
    sum =
        half
            ? MatrixSum.halved(placement.sharers(), memory, Kind.GRADIENT, matrices)
            : MatrixSum.of(placement.sharers(), memory, Kind.GRADIENT, matrices);
  }

  /** Sums; all sharers call it, also those who had nothing to learn from. */
  public void sum() {
    lane.begin(Stage.SHARE);
    sum.start();
    lane.beginWait();
    sum.await();
    lane.end();
    sum.finish();
    lane.end();
  }
}
