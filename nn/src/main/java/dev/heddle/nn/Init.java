package dev.heddle.nn;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;

/**
 * What a parameter holds before training. A parameter of {@code rows × cols} maps vectors of {@code
 * rows} values to vectors of {@code cols}: those are its fan-in and fan-out.
 */
public sealed interface Init {
  Init ZEROS = new Constant(0);
  Init ONES = new Constant(1);
  Init GLOROT_UNIFORM = new GlorotUniform();
  Init KAIMING_UNIFORM = new KaimingUniform();

  /** Fills a matrix; the value at a place depends on the key, the shape and the place alone. */
  void fill(Matrix m, long key);

  /** {@code √(6 / (fanIn + fanOut))} (Glorot &amp; Bengio, 2010). */
  static double glorotBound(int fanIn, int fanOut) {
    return Math.sqrt(6.0 / (fanIn + fanOut));
  }

  /** {@code 1/√fanIn}, which is He et al.'s bound (2015) with the slope √5 that torch takes. */
  static double kaimingBound(int fanIn) {
    return 1 / Math.sqrt(fanIn);
  }

  /** One value everywhere. */
  record Constant(float value) implements Init {
    @Override
    public void fill(Matrix m, long key) {
      m.fill(value);
    }
  }

  /**
   * Uniform within {@code ±bound}, for parameters whose shape does not show their fans: torch's
   * Linear draws its bias with the {@link #kaimingBound} of its weight.
   */
  record Uniform(double bound) implements Init {
    @Override
    public void fill(Matrix m, long key) {
      for (int r = 0; r < m.rows(); r++) {
        for (int c = 0; c < m.cols(); c++) {
          double unit = Draws.unitDouble(Draws.at(key, (long) r * m.cols() + c));
          m.set(r, c, (float) (bound * (2 * unit - 1)));
        }
      }
    }
  }

  /** Normal with mean 0. */
  record Normal(double deviation) implements Init {
    @Override
    public void fill(Matrix m, long key) {
      for (int r = 0; r < m.rows(); r++) {
        for (int c = 0; c < m.cols(); c++) {
          m.set(r, c, (float) (deviation * Draws.gaussian(key, (long) r * m.cols() + c)));
        }
      }
    }
  }

  /** Uniform within the {@link #glorotBound} of the parameter's shape. */
  record GlorotUniform() implements Init {
    @Override
    public void fill(Matrix m, long key) {
      new Uniform(glorotBound(m.rows(), m.cols())).fill(m, key);
    }
  }

  /** Uniform within the {@link #kaimingBound} of the parameter's shape: a torch Linear's weight. */
  record KaimingUniform() implements Init {
    @Override
    public void fill(Matrix m, long key) {
      new Uniform(kaimingBound(m.rows())).fill(m, key);
    }
  }
}
