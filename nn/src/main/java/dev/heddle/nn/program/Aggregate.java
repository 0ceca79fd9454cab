package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.Workers;
import java.util.List;

/**
 * Normalised aggregation over the arcs of a block, {@code out = Â x} or {@code out += Â x}: {@code
 * sources × cols} to {@code destinations × cols}. Backward: {@code ∂x = Âᵀ ∂out}, a gather over the
 * transposed arcs, so that no two threads write one row.
 */
final class Aggregate implements Op {
  private final Value x;
  private final Block block;
  private final Normalisation normalisation;
  private final Target target;
  private final Slot partials;

  Aggregate(Value x, Block block, Normalisation normalisation, Target target) {
    this.x = x;
    this.block = block;
    this.normalisation = normalisation;
    this.target = target;
    partials = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, x.cols()));
  }

  @Override
  public List<Value> inputs() {
    return target.inputs(x);
  }

  @Override
  public Value output() {
    return target.output();
  }

  @Override
  public List<Slot> scratch() {
    return List.of(partials);
  }

  @Override
  public Pass prepare(Workers workers, Memory memory) {
    Matrix hubs = Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, x.cols());
    SumGather forward = block.forward(normalisation).gather(hubs);
    SumGather backward = block.backward(normalisation).gather(hubs);
    Value out = target.output();
    return new Pass() {
      @Override
      public void forward(Step step) {
        forward.run(workers, x.data(), out.data(), target.adds());
      }

      @Override
      public void backward(Step step) {
        if (x.needsGrad()) {
          backward.run(workers, out.grad(), x.grad(), x.addsGrad(Aggregate.this));
        }
      }
    };
  }
}
