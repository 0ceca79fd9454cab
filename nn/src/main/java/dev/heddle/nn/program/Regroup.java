package dev.heddle.nn.program;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowPut;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.ZeroRows;
import java.util.List;

/**
 * Rows in another order: {@code out[i] = x[order[i]]}, each row of {@code x} at most once.
 * Backward: {@code ∂x[order[i]] = ∂out[i]}, and 0 for rows that nobody asked for.
 */
final class Regroup implements Op {
  private final Value x;
  private final RowIds order;
  private final Value out;

  Regroup(Value x, RowIds order, Rows rows) {
    this.x = x;
    this.order = order;
    out = Value.of(rows, x.cols());
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
  public Pass prepare(ThreadTeam team, Memory memory) {
    if (x.needsGrad() && x.addsGrad(this)) {
      throw new IllegalStateException("rows that are regrouped are used elsewhere too");
    }
    RowGather gather = new RowGather();
    RowPut scatter = new RowPut();
    ZeroRows zero = new ZeroRows();
    return new Pass() {
      @Override
      public void forward(Step step) {
        gather.run(team, x.data(), order, out.rows().count(), out.data());
      }

      @Override
      public void backward(Step step) {
        if (x.needsGrad()) {
          zero.run(team, x.grad(), 0, x.rows().count());
          scatter.run(team, out.grad(), out.rows().count(), order, x.grad());
        }
      }
    };
  }
}
