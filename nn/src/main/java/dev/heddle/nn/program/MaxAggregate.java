package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.MaxGather;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * Element-wise maximum over in-arcs: {@code sources × cols} to {@code destinations × cols}. Keeps
 * who won each element; the gradient goes there.
 */
final class MaxAggregate implements Op {
  private final Value x;
  private final Block block;
  private final Value out;
  private final Slot winners;

  MaxAggregate(Value x, Hop hop) {
    this.x = x;
    block = hop.block();
    out = Value.of(hop.destinations(), x.cols());
    winners = new Slot(Matrix.bytes(hop.destinations().capacity(), x.cols()));
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
  public List<Slot> kept() {
    return List.of(winners);
  }

  @Override
  public void askOf(BlockBytes bytes) {
    if (out.needsGrad()) {
      bytes.out();
    }
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    // Where nobody asks for gradients, the other direction is not even made.
    MaxGather gather = MaxGather.over(block.in(), out.needsGrad() ? block.out() : block.in());
    return new Pass() {
      @Override
      public void forward(Step step) {
        gather.forward(team, x.data(), out.data(), winners.memory());
      }

      @Override
      public void backward(Step step) {
        if (x.needsGrad()) {
          gather.backward(team, out.grad(), x.grad(), x.addsGrad(MaxAggregate.this));
        }
      }
    };
  }
}
