package dev.heddle.nn.program;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Product;
import dev.heddle.kernel.RowProduct;
import dev.heddle.kernel.RowWeightGradient;
import dev.heddle.kernel.RowWork;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.ZeroRows;
import dev.heddle.nn.Parameter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A linear map of dense rows, {@code out = x W} or {@code out += x W}: {@code rows × in} by {@code
 * in × out}. Backward: {@code ∂x = ∂out Wᵀ}, {@code ∂W += xᵀ ∂out}.
 *
 * <p>The output may have fewer rows than {@code x}: then only the first rows are mapped.
 */
final class Linear implements Op {
  private final Value x;
  private final Parameter weight;
  private final Target target;
  private final Slot scratch;

  Linear(Value x, Parameter weight, Target target) {
    this.x = x;
    this.weight = weight;
    this.target = target;
    Matrix w = weight.value();
    scratch = new Slot(Product.scratchBytes(w.rows(), w.cols()));
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
  public List<Parameter> parameters() {
    return List.of(weight);
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
    return List.of(scratch);
  }

  @Override
  public Rows forwardRows() {
    return target.output().rows();
  }

  @Override
  public @Nullable Rows backwardRows() {
    return x.needsGrad() ? null : target.output().rows();
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Product product = Product.over(scratch.memory());
    ZeroRows rest = new ZeroRows();
    Matrix w = weight.value();
    Value out = target.output();
    return new Pass() {
      @Override
      public void forward(Step step) {
        int rows = out.rows().count();
        if (target.adds()) {
          product.addMultiply(team, rows, x.data(), w, out.data());
        } else {
          product.multiply(team, rows, x.data(), w, out.data());
        }
      }

      @Override
      public void backward(Step step) {
        int rows = out.rows().count();
        product.addTransposeMultiply(team, rows, x.data(), out.grad(), weight.grad());
        // From here on the rows of x are no longer needed.
        if (x.needsGrad()) {
          if (x.addsGrad(Linear.this)) {
            product.addMultiplyTransposed(team, rows, out.grad(), w, x.grad());
          } else {
            product.multiplyTransposed(team, rows, out.grad(), w, x.grad());
            rest.run(team, x.grad(), rows, x.rows().count());
          }
        }
      }

      @Override
      public List<RowWork> forwardWork() {
        return List.of(new RowProduct(x.data(), w, out.data(), target.adds()));
      }

      @Override
      public List<RowWork> backwardWork() {
        return List.of(
            new RowWeightGradient(x.data(), out.grad(), weight.grad(), scratch.memory()));
      }
    };
  }
}
