package dev.heddle.nn.program;

import dev.heddle.kernel.BatchNorm;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.Collections;
import java.util.List;

/** Batch normalisation of each column (Ioffe & Szegedy, 2015). */
final class BatchNormalisation implements Op {
  private final Value x;
  private final Value out;
  private final BatchStatistics statistics;

  BatchNormalisation(Value x, BatchStatistics statistics) {
    this.x = x;
    this.statistics = statistics;
    out = Value.of(x.rows(), x.cols());
  }

  @Override
  public List<Value> inputs() {
    return List.of(x);
  }

  @Override
  public Value output() {
    return out;
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(statistics.gamma(), statistics.beta());
  }

  @Override
  public boolean keepsInputs() {
    return true;
  }

  /** Two sums forward, and two back: see {@link BatchNorm}. */
  @Override
  public List<Integer> totals() {
    return Collections.nCopies(4, x.cols());
  }

  @Override
  public long ownBytes() {
    return BatchNorm.bytes(x.cols());
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Parameter gamma = statistics.gamma();
    Parameter beta = statistics.beta();
    BatchNorm norm =
        BatchNorm.of(
            new BatchNorm.State(
                gamma.value(), beta.value(), statistics.mean(), statistics.variance()),
            memory,
            out.rows().totals());
    var gradients =
        new BatchNorm.Gradients(
            x.needsGrad() ? x.grad() : null, x.addsGrad(this), gamma.grad(), beta.grad());
    return new Pass() {
      @Override
      public void forward(Step step) {
        int rows = out.rows().count();
        if (step.training()) {
          norm.forward(team, rows, x.data(), out.data());
        } else {
          norm.evaluate(team, rows, x.data(), out.data());
        }
      }

      @Override
      public void backward(Step step) {
        norm.backward(team, out.rows().count(), out.grad(), gradients);
      }
    };
  }
}
