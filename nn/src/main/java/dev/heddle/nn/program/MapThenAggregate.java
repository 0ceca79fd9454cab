package dev.heddle.nn.program;

import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Product;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;

/**
 * A convolution whose rows grow narrower: {@code out = Â (x W) + x W_self}. Backward, with {@code t
 * = Âᵀ ∂out}: {@code ∂W += xᵀ t}, {@code ∂W_self += xᵀ ∂out}, {@code ∂x = t Wᵀ + ∂out W_selfᵀ}.
 *
 * <p>One operation, so that {@code x} has one reader and its gradient can take its place.
 */
final class MapThenAggregate implements Op {
  private final Value x;
  private final Convolution convolution;
  private final Value out;
  private final Slot mapped;
  private final Slot partials;
  private final Slot scratch;

  MapThenAggregate(Value x, Convolution convolution) {
    this.x = x;
    this.convolution = convolution;
    int cols = convolution.out();
    out = Value.of(convolution.hop().destinations(), cols);
    mapped = new Slot(Matrix.bytes(x.rows().capacity(), cols));
    partials = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, cols));
    scratch = new Slot(Product.scratchBytes(convolution.in(), cols));
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
    return List.of(mapped, partials, scratch);
  }

  @Override
  public void askOf(BlockBytes bytes) {
    bytes.forward(convolution.normalisation());
    if (out.needsGrad()) {
      bytes.backward(convolution.normalisation());
    }
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Matrix hubs = Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, convolution.out());
    SumGather there = convolution.block().forward(convolution.normalisation()).gather(hubs);
    // Where nobody asks for gradients, the other direction is not even made.
    SumGather back =
        out.needsGrad()
            ? convolution.block().backward(convolution.normalisation()).gather(hubs)
            : there;
    Matrix t = Matrix.over(mapped.memory(), x.rows().capacity(), convolution.out());
    Product product = Product.over(scratch.memory());
    Parameter w = convolution.neighbours();
    Parameter self = convolution.self();
    return new Pass() {
      @Override
      public void forward(Step step) {
        product.multiply(team, x.rows().count(), x.data(), w.value(), t);
        if (self != null) {
          product.multiply(team, out.rows().count(), x.data(), self.value(), out.data());
        }
        there.run(team, t, out.data(), self != null);
      }

      @Override
      public void backward(Step step) {
        int sources = x.rows().count();
        int destinations = out.rows().count();
        back.run(team, out.grad(), t, false);
        product.addTransposeMultiply(team, sources, x.data(), t, w.grad());
        if (self != null) {
          product.addTransposeMultiply(team, destinations, x.data(), out.grad(), self.grad());
        }
        if (!x.needsGrad()) {
          return;
        }
        // From here on the rows of x are no longer needed.
        if (x.addsGrad(MapThenAggregate.this)) {
          product.addMultiplyTransposed(team, sources, t, w.value(), x.grad());
        } else {
          product.multiplyTransposed(team, sources, t, w.value(), x.grad());
        }
        if (self != null) {
          product.addMultiplyTransposed(team, destinations, out.grad(), self.value(), x.grad());
        }
      }
    };
  }
}
