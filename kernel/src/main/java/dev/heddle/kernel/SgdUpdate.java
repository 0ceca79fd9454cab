package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * One step of stochastic gradient descent with momentum {@code μ} and L2 weight decay {@code λ},
 * fused into one pass over a parameter {@code p}, its gradient {@code g} and its velocity {@code
 * b}, which starts as zeros:
 *
 * <pre>
 *   g ← g + λ·p
 *   b ← μ·b + g
 *   p ← p − η·b          Nesterov:  p ← p − η·(g + μ·b)
 * </pre>
 *
 * <p>The gradient's memory is left as it is. Reused from step to step, it allocates nothing.
 */
public final class SgdUpdate {
  /** A parameter with its velocity; all three have one shape. */
  public record Target(Matrix value, Matrix grad, Matrix velocity) {
    public Target {
      FlatBlocks.requireOneShape(value, grad, velocity);
    }
  }

  private final float momentum;
  private final boolean nesterov;
  private final Task task = this::run;

  private float learningRate;
  private float decay;

  private MemorySegment value = MemorySegment.NULL;
  private MemorySegment grad = MemorySegment.NULL;
  private MemorySegment velocity = MemorySegment.NULL;
  private long floats;

  private SgdUpdate(float momentum, boolean nesterov) {
    this.momentum = momentum;
    this.nesterov = nesterov;
  }

  public static SgdUpdate of(double momentum, boolean nesterov) {
    return new SgdUpdate((float) momentum, nesterov);
  }

  /** Moves one parameter, with learning rate {@code eta} and weight decay {@code lambda}. */
  public void run(ThreadTeam team, Target target, double eta, double lambda) {
    aim(target, eta, lambda);
    team.run(FlatBlocks.count(floats), task);
  }

  void aim(Target target, double eta, double lambda) {
    learningRate = (float) eta;
    decay = (float) lambda;
    value = target.value().data();
    grad = target.grad().data();
    velocity = target.velocity().data();
    floats = FlatBlocks.floats(target.value());
  }

  private void run(int block) {
    Kernels.update().sgd(this, FlatBlocks.first(block), FlatBlocks.length(floats, block));
  }

  MemorySegment value() {
    return value;
  }

  MemorySegment grad() {
    return grad;
  }

  MemorySegment velocity() {
    return velocity;
  }

  float learningRate() {
    return learningRate;
  }

  float decay() {
    return decay;
  }

  float momentum() {
    return momentum;
  }

  /**
   * Both forms of the last line are {@code p − η·(a·g + c·b)}: this is {@code a}, and {@code c} is
   * {@link #velocityWeight}.
   */
  float gradientWeight() {
    return nesterov ? 1 : 0;
  }

  float velocityWeight() {
    return nesterov ? momentum : 1;
  }
}
