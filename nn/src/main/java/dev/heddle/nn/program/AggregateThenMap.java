package dev.heddle.nn.program;

import dev.heddle.graph.Aggregation;
import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.GatherProduct;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A convolution whose rows grow wider or stay: {@code out = (Â x) W + x W_self}, aggregated and
 * mapped a block of rows at a time. Backward, with {@code t = Âᵀ ∂out} likewise a block at a time:
 * {@code ∂W += xᵀ t}, {@code ∂W_self += xᵀ ∂out}, {@code ∂x = t Wᵀ + ∂out W_selfᵀ}. For rows that
 * need a gradient; others are better aggregated on their own, which saves the way back. In two
 * stages where sources come from other workers, like {@link Aggregate}.
 */
final class AggregateThenMap implements Op {
  private final Value x;
  private final @Nullable FetchHalo fetch;
  private final Convolution convolution;
  private final Value out;
  private final Slot partials;
  private final Slot scratch;

  /** All aggregated rows, where sources exceed memory. */
  private final Slot aggregated;

  AggregateThenMap(Sources sources, Convolution convolution) {
    x = sources.rows();
    fetch = sources.fetch();
    this.convolution = convolution;
    out = Value.of(convolution.hop().destinations(), convolution.out());
    int widest = Math.max(convolution.in(), convolution.out());
    partials = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, widest));
    Matrix w = convolution.neighbours().value();
    scratch = new Slot(GatherProduct.scratchBytes(w, convolution.self() != null));
    boolean through = convolution.block().sourceOrder() != null;
    aggregated = new Slot(through ? Matrix.bytes(out.rows().capacity(), convolution.in()) : 0);
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
    return convolution.parameters();
  }

  @Override
  public boolean keepsInputs() {
    return true;
  }

  @Override
  public boolean gradReplacesInput() {
    return true;
  }

  @Override
  public List<Slot> scratch() {
    return List.of(partials, scratch, aggregated);
  }

  @Override
  public void askOf(BlockBytes bytes) {
    bytes.forward(convolution.normalisation());
    if (fetch != null || out.needsGrad()) {
      bytes.backward(convolution.normalisation());
    }
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Aggregation there = convolution.block().forward(convolution.normalisation());
    // Where nobody asks for gradients, the other direction is not even made; stages cut it, though.
    boolean needed = fetch != null || out.needsGrad();
    Aggregation back = needed ? convolution.block().backward(convolution.normalisation()) : there;
    SumGather forward = there.gather(partials(convolution.in()));
    SumGather backward = back.gather(partials(convolution.out()));
    GatherProduct.@Nullable Gradient gradient =
        x.needsGrad() ? new GatherProduct.Gradient(x.grad(), x.addsGrad(this)) : null;
    return fetch == null
        ? pass(team, product(forward, backward), gradient)
        : stages(team, forward, backward, fetch, gradient);
  }

  private Pass pass(
      ThreadTeam team, GatherProduct product, GatherProduct.@Nullable Gradient gradient) {
    Matrix whole =
        convolution.block().sourceOrder() == null
            ? null
            : Matrix.over(aggregated.memory(), out.rows().capacity(), convolution.in());
    return new Pass() {
      @Override
      public void forward(Step step) {
        if (whole == null) {
          product.forward(team, x.data(), out.data());
        } else {
          product.forwardThrough(team, x.data(), whole, out.data());
        }
      }

      @Override
      public void backward(Step step) {
        product.backward(team, out.grad(), x.data(), Objects.requireNonNull(gradient));
      }
    };
  }

  private Pass stages(
      ThreadTeam team,
      SumGather forward,
      SumGather backward,
      FetchHalo halo,
      GatherProduct.@Nullable Gradient gradient) {
    GatherProduct first =
        product(forward.slice(0, halo.central()), backward.slice(halo.own(), halo.sources()));
    GatherProduct second =
        product(forward.slice(halo.central(), halo.own()), backward.slice(0, halo.own()));
    return new Pass() {
      @Override
      public void forward(Step step) {
        first.forward(team, x.data(), out.data());
        halo.arrive(team);
        second.forward(team, x.data(), out.data());
      }

      @Override
      public void backward(Step step) {
        var to = Objects.requireNonNull(gradient);
        first.backward(team, out.grad(), x.data(), to);
        halo.depart(team, step);
        second.backward(team, out.grad(), x.data(), to);
      }
    };
  }

  private GatherProduct product(SumGather forward, SumGather backward) {
    return GatherProduct.over(
        new GatherProduct.Arcs(forward, backward),
        weight(convolution.neighbours()),
        convolution.self() == null ? null : weight(convolution.self()),
        scratch.memory());
  }

  private Matrix partials(int cols) {
    return Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, cols);
  }

  private static GatherProduct.Weight weight(Parameter p) {
    return new GatherProduct.Weight(p.value(), p.grad());
  }
}
