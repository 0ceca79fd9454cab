package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.BlockBytes;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.HalfCopy;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * {@link Aggregate} from rows rounded to bfloat16: one more pass over the rows, half the bytes per
 * arc. Sums are in float32. The gradient is that of the rounded forward, rounded likewise.
 */
final class HalfAggregate implements Op {
  private final Value x;
  private final Block block;
  private final Normalisation normalisation;
  private final Target target;
  private final Slot partials;
  private final Slot halves;

  HalfAggregate(Value x, Block block, Normalisation normalisation, Target target) {
    this.x = x;
    this.block = block;
    this.normalisation = normalisation;
    this.target = target;
    partials = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, x.cols()));
    halves = new Slot(HalfMatrix.bytes(x.rows().capacity(), x.cols()));
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
    return List.of(partials, halves);
  }

  @Override
  public void askOf(BlockBytes bytes) {
    bytes.forward(normalisation);
    if (target.output().needsGrad()) {
      bytes.backward(normalisation);
    }
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Matrix hubs = Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, x.cols());
    // Destinations are the first of the sources: one buffer holds the rows of either.
    HalfCopy half = new HalfCopy(HalfMatrix.over(halves.memory(), x.rows().capacity(), x.cols()));
    SumGather forward = block.forward(normalisation).gather(hubs);
    // Where nobody asks for gradients, the other direction is not even made.
    SumGather backward =
        target.output().needsGrad() ? block.backward(normalisation).gather(hubs) : forward;
    Value out = target.output();
    return new Pass() {
      @Override
      public void forward(Step step) {
        HalfMatrix rows = half.run(team, x.rows().count(), x.data());
        forward.run(team, rows, out.data(), target.adds());
      }

      @Override
      public void backward(Step step) {
        if (x.needsGrad()) {
          HalfMatrix rows = half.run(team, out.rows().count(), out.grad());
          backward.run(team, rows, x.grad(), x.addsGrad(HalfAggregate.this));
        }
      }
    };
  }
}
