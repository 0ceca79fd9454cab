package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * One step of Adam (Kingma &amp; Ba, 2015) or AdamW (Loshchilov &amp; Hutter, 2019), fused into one
 * pass over a parameter {@code p}, its gradient {@code g} and its moments {@code m} and {@code v}:
 *
 * <pre>
 *   Adam:  g ← g + λ·p        AdamW:  p ← (1 − η·λ)·p
 *   m ← m + (1−β₁)·(g − m)
 *   v ← β₂·v + (1−β₂)·g²
 *   p ← p − η·m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + ε)
 * </pre>
 *
 * <p>The last line is computed as {@code p − η′·m/(√v + ε′)} with {@code ε′ = ε·√(1−β₂ᵗ)} and
 * {@code η′ = η·√(1−β₂ᵗ)/(1−β₁ᵗ)}, both worked out in double once a step. The gradient's memory is
 * left as it is. Reused from step to step, it allocates nothing.
 */
public final class AdamUpdate {
  /** How weight decay λ enters: as an L2 term of the gradient, or beside it. */
  public enum Decay {
    COUPLED,
    DECOUPLED
  }

  /** A parameter with what is remembered of it; all four have one shape. */
  public record Target(Matrix value, Matrix grad, Matrix mean, Matrix square) {
    public Target {
      FlatBlocks.requireOneShape(value, grad, mean, square);
    }
  }

  private final Decay decay;
  private final double beta1;
  private final double beta2;
  private final double epsilon;
  private final Task task = this::run;

  private double learningRate;
  private float rate;
  private float correctedEpsilon;
  private float gradientDecay;
  private float valueKept;

  private MemorySegment value = MemorySegment.NULL;
  private MemorySegment grad = MemorySegment.NULL;
  private MemorySegment mean = MemorySegment.NULL;
  private MemorySegment square = MemorySegment.NULL;
  private long floats;

  private AdamUpdate(Decay decay, double beta1, double beta2, double epsilon) {
    this.decay = decay;
    this.beta1 = beta1;
    this.beta2 = beta2;
    this.epsilon = epsilon;
  }

  /**
   * The rule with its constants.
   *
   * @param beta1 what the mean of gradients keeps a step
   * @param beta2 what the mean of their squares keeps a step
   * @param epsilon added to the root of the latter
   */
  public static AdamUpdate of(Decay decay, double beta1, double beta2, double epsilon) {
    return new AdamUpdate(decay, beta1, beta2, epsilon);
  }

  /** Sets what all parameters of a step share: its number, from 1, and the learning rate η. */
  public void begin(long step, double eta) {
    double root = Math.sqrt(1 - Math.pow(beta2, (double) step));
    learningRate = eta;
    rate = (float) (eta * root / (1 - Math.pow(beta1, (double) step)));
    correctedEpsilon = (float) (epsilon * root);
  }

  /** Moves one parameter, with weight decay {@code lambda}. */
  public void run(ThreadTeam team, Target target, double lambda) {
    aim(target, lambda);
    team.run(FlatBlocks.count(floats), task);
  }

  void aim(Target target, double lambda) {
    gradientDecay = decay == Decay.COUPLED ? (float) lambda : 0;
    valueKept = decay == Decay.COUPLED ? 1 : (float) (1 - learningRate * lambda);
    value = target.value().data();
    grad = target.grad().data();
    mean = target.mean().data();
    square = target.square().data();
    floats = FlatBlocks.floats(target.value());
  }

  private void run(int block) {
    Kernels.update().adam(this, FlatBlocks.first(block), FlatBlocks.length(floats, block));
  }

  MemorySegment value() {
    return value;
  }

  MemorySegment grad() {
    return grad;
  }

  MemorySegment mean() {
    return mean;
  }

  MemorySegment square() {
    return square;
  }

  /** 1 − β₁, from doubles: in floats it would be off in the fifth digit. */
  float meanWeight() {
    return (float) (1 - beta1);
  }

  /** 1 − β₂. */
  float squareWeight() {
    return (float) (1 - beta2);
  }

  /** β₂. */
  float squareKept() {
    return (float) beta2;
  }

  /** η′. */
  float rate() {
    return rate;
  }

  /** ε′. */
  float correctedEpsilon() {
    return correctedEpsilon;
  }

  /** λ where decay is coupled, else 0. */
  float gradientDecay() {
    return gradientDecay;
  }

  /** 1 − η·λ where decay is decoupled, else 1. */
  float valueKept() {
    return valueKept;
  }
}
