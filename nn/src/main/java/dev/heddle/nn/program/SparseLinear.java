package dev.heddle.nn.program;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;
import java.util.Objects;

/**
 * A linear map of sparse features, {@code out = X W} or {@code out += X W}: a gather of the rows of
 * W that a vertex's features name. Backward: {@code ∂W += Xᵀ ∂out}, a gather over the transposed
 * features. Neither ever makes X dense.
 */
final class SparseLinear implements Op {
  private final Value x;
  private final Parameter weight;
  private final Target target;
  private final Slot partials;

  SparseLinear(Value x, Parameter weight, Target target) {
    this.x = x;
    this.weight = weight;
    this.target = target;
    partials = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, weight.value().cols()));
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
  public List<Slot> scratch() {
    return List.of(partials);
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    SparseFeatures features = Objects.requireNonNull(x.sparse());
    Matrix hubs = Matrix.over(partials.memory(), ArcTasks.MAX_SEGMENTS, weight.value().cols());
    SumGather forward = gather(features.byRow(), hubs);
    SumGather backward = gather(features.byColumn(), hubs);
    Value out = target.output();
    return new Pass() {
      @Override
      public void forward(Step step) {
        forward.run(team, weight.value(), out.data(), target.adds());
      }

      @Override
      public void backward(Step step) {
        backward.run(team, out.grad(), weight.grad(), true);
      }
    };
  }

  private static SumGather gather(Csr features, Matrix hubs) {
    Coefficients values = Coefficients.perArc(Objects.requireNonNull(features.weights()));
    return SumGather.over(features, values, null, hubs);
  }
}
