package dev.heddle.nn.program;

import dev.heddle.kernel.Heads;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Product;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * The mean over attention heads, {@code rows × heads·width} to {@code rows × width}: a product with
 * a constant matrix that has {@code 1/heads} where a column of a head meets its own.
 */
final class HeadMean implements Op {
  private final Value x;
  private final Heads heads;
  private final Value out;

  HeadMean(Value x, Heads heads) {
    this.x = x;
    this.heads = heads;
    out = Value.of(x.rows(), heads.width());
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
  public long ownBytes() {
    return Matrix.bytes(heads.columns(), heads.width())
        + Product.scratchBytes(heads.columns(), heads.width());
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Matrix mean = Matrix.allocate(memory, heads.columns(), heads.width());
    for (int column = 0; column < heads.columns(); column++) {
      mean.set(column, column % heads.width(), 1f / heads.count());
    }
    Product product = Product.allocate(memory, heads.columns(), heads.width());
    return new Pass() {
      @Override
      public void forward(Step step) {
        product.multiply(team, out.rows().count(), x.data(), mean, out.data());
      }

      @Override
      public void backward(Step step) {
        if (!x.needsGrad()) {
          return;
        }
        int rows = out.rows().count();
        if (x.addsGrad(HeadMean.this)) {
          product.addMultiplyTransposed(team, rows, out.grad(), mean, x.grad());
        } else {
          product.multiplyTransposed(team, rows, out.grad(), mean, x.grad());
        }
      }
    };
  }
}
