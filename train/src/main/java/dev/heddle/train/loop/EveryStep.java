package dev.heddle.train.loop;

import dev.heddle.comm.Kind;
import dev.heddle.comm.MatrixSum;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.OptimizerState;
import dev.heddle.nn.Parameter;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replaces gradients by their sums in every step, and updates: nothing goes on meanwhile. */
final class EveryStep implements GradientSync {
  private final List<MatrixSum> sums = new ArrayList<>();
  private final List<Parameter> parameters;
  private final Worker worker;
  private @Nullable Update update;
  private long steps;

  /**
   * A sum of the gradients of a placement's parameters.
   *
   * @param half whether they are rounded to bfloat16 to be summed, which halves the bytes
   */
  EveryStep(ParameterPlacement placement, boolean half, Worker worker) {
    this.worker = worker;
    parameters = placement.here();
    for (ParameterPlacement.Share share : placement.shares()) {
      List<Matrix> matrices = share.parameters().stream().map(Parameter::grad).toList();
      if (!matrices.isEmpty()) {
        sums.add(
            half
                ? MatrixSum.halved(share.sharers(), worker.memory(), Kind.GRADIENT, matrices)
                : MatrixSum.of(share.sharers(), worker.memory(), Kind.GRADIENT, matrices));
      }
    }
  }

  @Override
  public List<Parameter> updated() {
    return parameters;
  }

  @Override
  public void updates(Update made, OptimizerState state) {
    update = made;
  }

  @Override
  public void begin(int count) {
    // Nothing is under way.
  }

  @Override
  public void awaitParameters() {
    // They were updated when the last gradients were shared.
  }

  @Override
  public void share(int epoch, int step) {
    Lane lane = worker.lane();
    for (int i = 0; i < sums.size(); i++) {
      sum(lane, sums.get(i), epoch, step);
    }
    steps++;
    if (update != null) {
      update.run(worker.team(), lane, epoch, step);
    }
  }

  private static void sum(Lane lane, MatrixSum sum, int epoch, int step) {
    lane.begin(Stage.SHARE, epoch, step);
    sum.start();
    lane.beginWait();
    sum.await();
    lane.end();
    sum.finish();
    lane.end();
  }

  @Override
  public void end() {
    // Nothing is under way.
  }

  @Override
  public SyncReport report() {
    long[] all = {steps};
    worker.group().sum(all);
    return new SyncReport(all, ConsistencyReport.NONE);
  }

  @Override
  public void close() {
    // Memory is freed by whoever gave it.
  }
}
