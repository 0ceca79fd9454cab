package dev.heddle.nn;

import dev.heddle.kernel.Clipping;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/** Keeps the gradients of the parameters it was made for within bounds, as torch does. */
public sealed interface GradientClip {
  /** Clips all gradients; nothing is allocated. */
  void apply(ThreadTeam team);

  /** Scales all gradients together so that their norm is at most {@code max}. */
  static ByNorm byNorm(Memory memory, List<Parameter> parameters, float max) {
    return new ByNorm(memory, parameters, max);
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
    private double norm;

    private ByNorm(Memory memory, List<Parameter> list, float max) {
      this.parameters = list.toArray(Parameter[]::new);
      this.clipping = Clipping.allocate(memory);
      this.max = max;
    }

    @Override
    public void apply(ThreadTeam team) {
      double sum = 0;
      for (Parameter p : parameters) {
        sum += clipping.sumOfSquares(team, p.grad());
      }
      norm = Math.sqrt(sum);
      double factor = max / (norm + TINY);
      if (factor >= 1) {
        return;
      }
      for (Parameter p : parameters) {
        clipping.scale(team, p.grad(), (float) factor);
      }
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
