package dev.heddle.nn.program;

import dev.heddle.kernel.Activation;
import dev.heddle.kernel.ColumnSum;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Epilogue;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowColumnSum;
import dev.heddle.kernel.RowWork;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code out = dropout(activation(x + bias))} in one pass, in place or into a value of its own.
 * Keeps one bit per element for backward, and for ELU the output.
 */
final class BiasActivationDropout implements Op {
  private final Value x;
  private final Value out;
  private final @Nullable Parameter bias;
  private final Activation activation;
  private final Slot bits;
  private float rate;
  private int draw;

  BiasActivationDropout(Value x, Value out, @Nullable Parameter bias, Activation activation) {
    this.x = x;
    this.out = out;
    this.bias = bias;
    this.activation = activation;
    bits = new Slot(Epilogue.bitBytes(x.rows().capacity(), x.cols()));
  }

  /** Drops a share of the elements in training, by draws of this number. */
  BiasActivationDropout dropping(float share, int drawNumber) {
    rate = share;
    draw = drawNumber;
    return this;
  }

  Value input() {
    return x;
  }

  @Nullable Parameter bias() {
    return bias;
  }

  boolean addsBiasOnly() {
    return activation == Activation.NONE && rate == 0;
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
    return bias == null ? List.of() : List.of(bias);
  }

  @Override
  public boolean random() {
    return rate > 0;
  }

  @Override
  public boolean keepsOutput() {
    return activation == Activation.ELU;
  }

  @Override
  public boolean replays() {
    return true;
  }

  @Override
  public List<Slot> kept() {
    return List.of(bits);
  }

  @Override
  public Rows forwardRows() {
    return out.rows();
  }

  @Override
  public @Nullable Rows backwardRows() {
    return addsGrad() ? null : out.rows();
  }

  /** Whether the gradient is added to what is there, in a value of its own. */
  private boolean addsGrad() {
    return !out.sharesMemoryWith(x) && x.needsGrad() && x.addsGrad(this);
  }

  @Override
  public long ownBytes() {
    boolean byRows = bias != null && backwardRows() != null;
    return (byRows ? 2 : 1) * ColumnSum.bytes(x.cols());
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Matrix biasValue = bias == null ? null : bias.value();
    Epilogue epilogue = Epilogue.of(activation, biasValue, bits.memory());
    epilogue.rowIds(x.rows().ids());
    ColumnSum columns = new ColumnSum(memory, x.cols());
    boolean inPlace = out.sharesMemoryWith(x);
    // A value of its own passes its gradient on only if somebody asks, but the bias always asks.
    Matrix inputGrad = x.needsGrad() && !inPlace ? x.grad() : out.needsGrad() ? out.grad() : null;
    return new Pass() {
      @Override
      public void forward(Step step) {
        expect(step);
        epilogue.forward(team, out.rows().count(), x.data(), out.data());
      }

      @Override
      public void expect(Step step) {
        epilogue.dropout(step.training() ? rate : 0, step.key(Draws.Domain.DROPOUT, draw));
      }

      @Override
      public List<RowWork> forwardWork() {
        return List.of(epilogue.forwardWork(x.data(), out.data()));
      }

      @Override
      public List<RowWork> backwardWork() {
        Matrix to = Objects.requireNonNull(inputGrad);
        RowWork passing = epilogue.backwardWork(out.grad(), to);
        return bias == null
            ? List.of(passing)
            : List.of(passing, new RowColumnSum(memory, to, bias.grad()));
      }

      @Override
      public void backward(Step step) {
        if (inputGrad == null) {
          return;
        }
        int rows = out.rows().count();
        boolean add = addsGrad();
        if (bias != null && add) {
          throw new IllegalStateException("a bias needs the gradient by itself");
        }
        if (bias == null) {
          epilogue.backward(team, rows, out.grad(), inputGrad, add);
        } else {
          epilogue.backward(team, rows, out.grad(), inputGrad, columns, bias.grad());
        }
      }
    };
  }
}
