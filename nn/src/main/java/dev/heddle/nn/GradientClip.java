package dev.heddle.nn;

import dev.heddle.kernel.Clipping;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Keeps the gradients of the parameters it was made for within bounds, as torch does. */
public sealed interface GradientClip {
  /** Clips all gradients; nothing is allocated. */
  void apply(ThreadTeam team);

  /** Scales all gradients together so that their norm is at most {@code max}. */
  static ByNorm byNorm(Memory memory, List<Parameter> parameters, float max) {
    return byNorm(memory, parameters, max, ByNorm::inOrder);
  }

  /**
   * Scales all gradients together, of which others have some.
   *
   * @param total adds the sums of squares of these parameters, and of those that others have
   */
  static ByNorm byNorm(
      Memory memory, List<Parameter> parameters, float max, ToDoubleFunction<double[]> total) {
    return new ByNorm(memory, parameters, max, total);
  }

  /** Moves every value beyond {@code ±limit} to it. */
  static ByValue byValue(Memory memory, List<Parameter> parameters, float limit) {
    return new ByValue(memory, parameters, limit);
  }

  /**
   * With the norm {@code n = √Σg²} over all parameters, multiplies gradients by {@code min(1, max /
   * (n + 10⁻⁶))} (Pascanu et al., 2013).
   */
  final class ByNorm implements GradientClip {
    private static final double TINY = 1e-6;

    private final Parameter[] parameters;
    private final Clipping clipping;
    private final float max;
    private final ToDoubleFunction<double[]> total;
    private final double[] squares;
    private double norm;

    private ByNorm(
        Memory memory, List<Parameter> list, float max, ToDoubleFunction<double[]> total) {
      this.total = total;
      squares = new double[list.size()];
      this.parameters = list.toArray(Parameter[]::new);
      this.clipping = Clipping.allocate(memory);
      this.max = max;
    }

    @Override
    public void apply(ThreadTeam team) {
      for (int i = 0; i < squares.length; i++) {
        squares[i] = clipping.sumOfSquares(team, parameters[i].grad());
      }
      norm = Math.sqrt(total.applyAsDouble(squares));
      double factor = max / (norm + TINY);
      if (factor >= 1) {
        return;
      }
      for (Parameter p : parameters) {
        clipping.scale(team, p.grad(), (float) factor);
      }
    }

    private static double inOrder(double[] values) {
      double sum = 0;
      for (double value : values) {
        sum += value;
      }
      return sum;
    }

    /** The norm before the last clipping; not finite if a gradient was not. */
    public double norm() {
      return norm;
    }
  }

  /** Each value by itself. */
  final class ByValue implements GradientClip {
    private final Parameter[] parameters;
    private final Clipping clipping;
    private final float limit;

    private ByValue(Memory memory, List<Parameter> list, float limit) {
      this.parameters = list.toArray(Parameter[]::new);
      this.clipping = Clipping.allocate(memory);
      this.limit = limit;
    }

    @Override
    public void apply(ThreadTeam team) {
      for (Parameter p : parameters) {
        clipping.clamp(team, p.grad(), limit);
      }
    }
  }
}
