package dev.heddle.nn.program;

import dev.heddle.kernel.ColumnSum;
import dev.heddle.kernel.LayerNorm;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;

/** Layer normalisation of each row (Ba, Kiros & Hinton, 2016). Keeps two floats per row. */
final class LayerNormalisation implements Op {
  private final Value x;
  private final Value out;
  private final Parameter gamma;
  private final Parameter beta;
  private final Slot statistics;

  LayerNormalisation(Value x, Parameter gamma, Parameter beta) {
    this.x = x;
    this.gamma = gamma;
    this.beta = beta;
    out = Value.of(x.rows(), x.cols());
    statistics = new Slot(LayerNorm.statisticsBytes(x.rows().capacity()));
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
    return List.of(gamma, beta);
  }

  @Override
  public boolean keepsInputs() {
    return true;
  }

  @Override
  public boolean replays() {
    return true;
  }

  @Override
  public List<Slot> kept() {
    return List.of(statistics);
  }

  @Override
  public long ownBytes() {
    return 2 * ColumnSum.bytes(x.cols());
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    LayerNorm norm = LayerNorm.of(gamma.value(), beta.value(), statistics.memory(), memory);
    return new Pass() {
      @Override
      public void forward(Step step) {
        norm.forward(team, out.rows().count(), x.data(), out.data());
      }

      @Override
      public void backward(Step step) {
        int rows = out.rows().count();
        norm.backwardParameters(team, rows, out.grad(), gamma.grad(), beta.grad());
        if (x.needsGrad()) {
          boolean add = x.addsGrad(LayerNormalisation.this);
          norm.backward(team, rows, out.grad(), x.grad(), add);
        }
      }
    };
  }
}
