package dev.heddle.nn;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;

/** A matrix that is learned: its value, the gradient of the loss by it, and a name for files. */
public final class Parameter {
  private final String name;
  private final Matrix value;
  private final Matrix grad;
  private float weightDecay = 1;

  private Parameter(String name, Matrix value, Matrix grad) {
    this.name = name;
    this.value = value;
    this.grad = grad;
  }

  /** A parameter of zeros. */
  public static Parameter allocate(Memory memory, String name, int rows, int cols) {
    return new Parameter(
        name, Matrix.allocate(memory, rows, cols), Matrix.allocate(memory, rows, cols));
  }

  /**
   * Sets the starting value.
   *
   * @param ordinal the parameter's place in its model: with the seed it is all that draws depend on
   */
  public void initialise(Init init, long seed, int ordinal) {
    init.fill(value, Draws.key(Draws.Domain.INIT, seed, 0, 0, ordinal));
  }

  public void zeroGrad() {
    grad.data().fill((byte) 0);
  }

  public String name() {
    return name;
  }

  public Matrix value() {
    return value;
  }

  public Matrix grad() {
    return grad;
  }

  /** How many numbers are learned. */
  public long count() {
    return (long) value.rows() * value.cols();
  }

  /** What the optimizer's weight decay is multiplied by for this parameter; 1 unless set. */
  public float weightDecay() {
    return weightDecay;
  }

  /** Sets the multiplier: 0 spares a parameter from decay. */
  public void weightDecay(float multiplier) {
    weightDecay = multiplier;
  }

  @Override
  public String toString() {
    return "Parameter[" + name + ", " + value.rows() + " x " + value.cols() + "]";
  }
}
