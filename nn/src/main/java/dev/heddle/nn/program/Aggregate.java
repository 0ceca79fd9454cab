package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.BlockBytes;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Normalised aggregation over the arcs of a block, {@code out = Â x} or {@code out += Â x}: {@code
 * sources × cols} to {@code destinations × cols}. Backward: {@code ∂x = Âᵀ ∂out}, a gather over the
 * transposed arcs, so that no two threads write one row.
 *
 * <p>Where sources come from other workers, rows that need none of those are made first, and on the
 * way back gradients of those: in the same two pieces whether anything is under way or not, so that
 * it does not matter for the bits.
 */
final class Aggregate implements Op {
  private final Value x;
  private final @Nullable FetchHalo fetch;
  private final Block block;
  private final Normalisation normalisation;
  private final Target target;
  private final Slot partials;

  Aggregate(Sources sources, Block block, Normalisation normalisation, Target target) {
    x = sources.rows();
    fetch = sources.fetch();
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
  public void askOf(BlockBytes bytes) {
    bytes.forward(normalisation);
    if (fetch != null || target.output().needsGrad()) {
      bytes.backward(normalisation);
    }
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Matrix hubs = Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, x.cols());
    SumGather forward = block.forward(normalisation).gather(hubs);
    // Where nobody asks for gradients, the other direction is not even made; stages cut it, though.
    boolean back = fetch != null || target.output().needsGrad();
    SumGather backward = back ? block.backward(normalisation).gather(hubs) : forward;
    return fetch == null ? pass(team, forward, backward) : stages(team, forward, backward, fetch);
  }

  private Pass stages(ThreadTeam team, SumGather forward, SumGather backward, FetchHalo halo) {
    SumGather central = forward.slice(0, halo.central());
    SumGather marginal = forward.slice(halo.central(), halo.own());
    SumGather others = backward.slice(halo.own(), halo.sources());
    SumGather own = backward.slice(0, halo.own());
    Value out = target.output();
    return new Pass() {
      @Override
      public void forward(Step step) {
        central.run(team, x.data(), out.data(), target.adds());
        halo.arrive(team);
        marginal.run(team, x.data(), out.data(), target.adds());
      }

      @Override
      public void backward(Step step) {
        if (x.needsGrad()) {
          boolean add = x.addsGrad(Aggregate.this);
          others.run(team, out.grad(), x.grad(), add);
          halo.depart(team, step);
          own.run(team, out.grad(), x.grad(), add);
        }
      }
    };
  }

  private Pass pass(ThreadTeam team, SumGather forward, SumGather backward) {
    Value out = target.output();
    return new Pass() {
      @Override
      public void forward(Step step) {
        forward.run(team, x.data(), out.data(), target.adds());
      }

      @Override
      public void backward(Step step) {
        if (x.needsGrad()) {
          backward.run(team, out.grad(), x.grad(), x.addsGrad(Aggregate.this));
        }
      }
    };
  }
}
