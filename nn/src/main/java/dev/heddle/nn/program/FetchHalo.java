package dev.heddle.nn.program;

import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import java.util.List;

/**
 * A worker's own rows with those of its halo behind them: {@code own × cols} to {@code sources ×
 * cols}. Backward: gradients of halo rows go to their owners, who add them to their own.
 */
final class FetchHalo implements Op {
  private final Value x;
  private final Passage passage;
  private final Value out;

  FetchHalo(Value x, Hop hop, Passage passage) {
    this.x = x;
    this.passage = passage;
    out = Value.of(hop.sources(), x.cols());
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
  public Pass prepare(Workers workers, Memory memory) {
    Combine copy = new Combine();
    return new Pass() {
      @Override
      public void forward(Step step) {
        copy.scale(workers, x.rows().count(), 1, x.data(), out.data(), false);
        passage.start(workers, out.data(), step);
        passage.finish(workers);
      }

      @Override
      public void backward(Step step) {
        passage.startBack(workers, out.grad(), step);
        passage.finishBack(workers);
        if (x.needsGrad()) {
          boolean add = x.addsGrad(FetchHalo.this);
          copy.scale(workers, x.rows().count(), 1, out.grad(), x.grad(), add);
        }
      }
    };
  }
}
