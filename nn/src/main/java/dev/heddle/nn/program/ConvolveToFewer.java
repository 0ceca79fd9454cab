package dev.heddle.nn.program;

import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Product;
import dev.heddle.kernel.RowProduct;
import dev.heddle.kernel.RowSumGather;
import dev.heddle.kernel.RowWork;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A convolution to fewer rows than there are sources, as in a sample: {@code out = a W + x W_self}
 * with {@code a = Â x}. Backward: {@code ∂W += aᵀ ∂out}, {@code ∂W_self += xᵀ ∂out}, {@code ∂x = Âᵀ
 * (∂out Wᵀ) + ∂out W_selfᵀ}.
 *
 * <p>The aggregated rows are kept, since they are few: then every product, there and back, is over
 * destinations, and the many sources meet nothing but gathers.
 */
final class ConvolveToFewer implements Op {
  private final Value x;
  private final Convolution convolution;
  private final Value out;
  private final Slot aggregated;
  private final Slot partials;
  private final Slot scratch;
  private final Slot hubRows;

  ConvolveToFewer(Value x, Convolution convolution) {
    this.x = x;
    this.convolution = convolution;
    Rows destinations = convolution.hop().destinations();
    out = Value.of(destinations, convolution.out());
    aggregated = new Slot(Matrix.bytes(destinations.capacity(), convolution.in()));
    partials = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, convolution.in()));
    scratch = new Slot(Product.scratchBytes(convolution.in(), convolution.out()));
    hubRows = new Slot(RowSumGather.scratchBytes(convolution.in()));
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
    return convolution.self() != null;
  }

  @Override
  public boolean gradReplacesInput() {
    return true;
  }

  @Override
  public List<Slot> kept() {
    return List.of(aggregated);
  }

  @Override
  public List<Slot> scratch() {
    return List.of(partials, scratch, hubRows);
  }

  /** The sources' gradients are made row by row, once those of the destinations are through. */
  @Override
  public @Nullable Rows backwardRows() {
    return x.needsGrad() && !x.addsGrad(this) ? x.rows() : null;
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
    Matrix hubs = Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, convolution.in());
    SumGather there = convolution.block().forward(convolution.normalisation()).gather(hubs);
    // Where nobody asks for gradients, the other direction is not even made.
    SumGather back =
        out.needsGrad()
            ? convolution.block().backward(convolution.normalisation()).gather(hubs)
            : there;
    Matrix a = Matrix.over(aggregated.memory(), out.rows().capacity(), convolution.in());
    Product product = Product.over(scratch.memory());
    Parameter w = convolution.neighbours();
    Parameter self = convolution.self();
    return new Pass() {
      @Override
      public void forward(Step step) {
        int rows = out.rows().count();
        there.run(team, x.data(), a, false);
        product.multiply(team, rows, a, w.value(), out.data());
        if (self != null) {
          product.addMultiply(team, rows, x.data(), self.value(), out.data());
        }
      }

      @Override
      public void backward(Step step) {
        int rows = out.rows().count();
        weightGradients(rows);
        if (!x.needsGrad()) {
          return;
        }
        // From here on the rows of a and x are no longer needed.
        product.multiplyTransposed(team, rows, out.grad(), w.value(), a);
        back.run(team, a, x.grad(), x.addsGrad(ConvolveToFewer.this));
        if (self != null) {
          product.addMultiplyTransposed(team, rows, out.grad(), self.value(), x.grad());
        }
      }

      private void weightGradients(int rows) {
        product.addTransposeMultiply(team, rows, a, out.grad(), w.grad());
        if (self != null) {
          product.addTransposeMultiply(team, rows, x.data(), out.grad(), self.grad());
        }
      }

      @Override
      public List<RowWork> backwardWork() {
        RowSumGather gathered = RowSumGather.of(back, a, x.grad(), hubRows.memory());
        Matrix turned = Matrix.over(scratch.memory(), convolution.out(), convolution.in());
        RowProduct own = new RowProduct(out.grad(), turned, x.grad(), true);
        RowWork work =
            new RowWork() {
              @Override
              public void begin(ThreadTeam team, int sources) {
                int rows = out.rows().count();
                weightGradients(rows);
                product.multiplyTransposed(team, rows, out.grad(), w.value(), a);
                gathered.begin(team, sources);
                if (self != null) {
                  self.value().transposeInto(turned);
                  own.begin(team, rows);
                }
              }

              @Override
              public void rows(int part, int from, int to) {
                gathered.rows(part, from, to);
                int end = Math.min(to, out.rows().count());
                if (self != null && from < end) {
                  own.rows(part, from, end);
                }
              }
            };
        return List.of(work);
      }
    };
  }
}
