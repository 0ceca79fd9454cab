package dev.heddle.nn.program;

import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.ZeroRows;
import java.util.List;

/**
 * {@code out = a·x + b·y}, a residual connection. Backward: {@code ∂x = a·∂out}, {@code ∂y =
 * b·∂out}. Operands with more rows than the output pass only their first ones on.
 */
final class Combination implements Op {
  /** A multiple of a value. */
  record Term(float factor, Value value) {}

  private final Term x;
  private final Term y;
  private final Value out;

  Combination(Term x, Term y, Value out) {
    this.x = x;
    this.y = y;
    this.out = out;
  }

  @Override
  public List<Value> inputs() {
    return List.of(x.value(), y.value());
  }

  @Override
  public Value output() {
    return out;
  }

  @Override
  public boolean replays() {
    return true;
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Combine combine = new Combine();
    var first = new Combine.Term(x.factor(), x.value().data());
    var second = new Combine.Term(y.factor(), y.value().data());
    PartialGradient toFirst = new PartialGradient(team, x);
    PartialGradient toSecond = new PartialGradient(team, y);
    boolean addFirst = x.value().addsGrad(this);
    // Both terms may be multiples of one value.
    boolean addSecond = y.value().addsGrad(this) || y.value() == x.value();
    return new Pass() {
      @Override
      public void forward(Step step) {
        combine.sum(team, out.rows().count(), first, second, out.data());
      }

      @Override
      public void backward(Step step) {
        toFirst.pass(out, addFirst);
        toSecond.pass(out, addSecond);
      }
    };
  }

  /** Passes a multiple of the output's gradient to one operand. */
  private static final class PartialGradient {
    private final ThreadTeam team;
    private final Value target;
    private final float factor;
    private final Combine combine = new Combine();
    private final ZeroRows rest = new ZeroRows();

    PartialGradient(ThreadTeam team, Term term) {
      this.team = team;
      target = term.value();
      factor = term.factor();
    }

    void pass(Value out, boolean add) {
      if (!target.needsGrad()) {
        return;
      }
      int rows = out.rows().count();
      combine.scale(team, rows, factor, out.grad(), target.grad(), add);
      if (!add) {
        rest.run(team, target.grad(), rows, target.rows().count());
      }
    }
  }
}
