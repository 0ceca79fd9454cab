package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EpilogueTest {
  private static final int[] WIDTHS = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129};
  private static final RowKernels[] KERNELS = {new ScalarRows(), new SimdRows()};

  private final SplittableRandom random = TestSeed.random(this);
  private final long key = random.nextLong();
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource
  void kernelsEqualTheFormula(Activation activation) {
    for (int cols : WIDTHS) {
      for (float rate : new float[] {0, 0.4f}) {
        Matrix bias = random.nextBoolean() ? TestMatrix.random(memory, random, 1, cols) : null;
        MemorySegment bits = bits(20, cols);
        Epilogue epilogue = Epilogue.of(activation, bias, bits);
        epilogue.dropout(rate, key);
        Case c = new Case(20, cols, activation, bias, rate);
        for (RowKernels kernels : KERNELS) {
          bits.fill((byte) 0x5A);
          c.assertEquals(kernels, epilogue, random.nextBoolean());
        }
      }
    }
  }

  private MemorySegment bits(int rows, int cols) {
    return memory.allocate(Epilogue.bitBytes(rows, cols));
  }

  /** Operands, and what must come of them. */
  private final class Case {
    private final int rows;
    private final Matrix x;
    private final Matrix grad;
    private final double[][] out;
    private final double[][] inputGrad;

    Case(int rows, int cols, Activation activation, @Nullable Matrix bias, float rate) {
      this.rows = rows;
      x = TestMatrix.random(memory, random, rows + 1, cols);
      grad = TestMatrix.random(memory, random, rows + 1, cols);
      out = new double[rows][cols];
      inputGrad = new double[rows][cols];
      for (int r = 0; r < rows; r++) {
        int draw = (int) Draws.at(key, r);
        for (int c = 0; c < cols; c++) {
          float in = x.get(r, c) + (bias == null ? 0 : bias.get(0, c));
          boolean drops =
              Integer.compareUnsigned(Draws.column(draw, c), Draws.dropThreshold(rate)) < 0;
          double kept = drops ? 0 : 1 / (1 - (double) rate);
          out[r][c] = kept * activate(activation, in);
          inputGrad[r][c] = kept * slope(activation, in) * grad.get(r, c);
        }
      }
    }

    void assertEquals(RowKernels kernels, Epilogue epilogue, boolean inPlace) {
      Matrix in = TestMatrix.copy(memory, x);
      Matrix y = inPlace ? in : TestMatrix.nan(memory, rows + 1, x.cols());
      Float below = y.get(rows, 0);
      epilogue.forward(workers, 0, in, y); // Aims, and runs over no row.
      kernels.epilogue(epilogue, 0, rows);
      TestMatrix.assertClose(y, out, 2e-6);
      assertThat(y.get(rows, 0)).as("the row after the last").isEqualTo(below);

      Matrix g = TestMatrix.copy(memory, grad);
      Matrix target = inPlace ? g : TestMatrix.nan(memory, rows + 1, x.cols());
      epilogue.backward(workers, 0, g, target, false);
      kernels.epilogueBackward(epilogue, 0, rows);
      TestMatrix.assertClose(target, inputGrad, 2e-6);

      Matrix sum = TestMatrix.copy(memory, x);
      epilogue.backward(workers, 0, grad, sum, true);
      kernels.epilogueBackward(epilogue, 0, rows);
      TestMatrix.assertClose(sum, plus(inputGrad, x), 2e-6);
    }
  }

  private static double activate(Activation activation, double x) {
    return switch (activation) {
      case NONE -> x;
      case RELU -> Math.max(x, 0);
      case ELU -> x > 0 ? x : Math.expm1(x);
    };
  }

  private static double slope(Activation activation, double x) {
    return switch (activation) {
      case NONE -> 1;
      case RELU -> x > 0 ? 1 : 0;
      case ELU -> x > 0 ? 1 : Math.exp(x);
    };
  }

  private static double[][] plus(double[][] a, Matrix b) {
    double[][] sum = new double[a.length][];
    for (int r = 0; r < a.length; r++) {
      sum[r] = a[r].clone();
      for (int c = 0; c < sum[r].length; c++) {
        sum[r][c] += b.get(r, c);
      }
    }
    return sum;
  }

  @ParameterizedTest
  @EnumSource
  void gradientsEqualDifferences(Activation activation) {
    int rows = 5;
    int cols = 11;
    Matrix x = TestMatrix.random(memory, random, rows, cols);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        // Away from the kink, where there is no derivative to compare with.
        x.set(r, c, x.get(r, c) + Math.copySign(0.1f, x.get(r, c)));
      }
    }
    Matrix weights = TestMatrix.random(memory, random, rows, cols);
    Epilogue epilogue = Epilogue.of(activation, null, bits(rows, cols));
    epilogue.dropout(0.3f, key);
    Matrix y = TestMatrix.nan(memory, rows, cols);
    Matrix grad = TestMatrix.nan(memory, rows, cols);
    epilogue.forward(workers, rows, x, y);
    epilogue.backward(workers, rows, weights, grad, false);
    TestMatrix.assertGradient(
        x,
        grad,
        () -> {
          epilogue.forward(workers, rows, x, y);
          return TestMatrix.weighted(weights, y);
        },
        1e-3);
  }

  @ParameterizedTest
  @EnumSource
  void bitsDoNotDependOnThreads(Activation activation) {
    int rows = 1100;
    int cols = 21;
    Matrix x = TestMatrix.random(memory, random, rows, cols);
    Matrix bias = TestMatrix.random(memory, random, 1, cols);
    Matrix grad = TestMatrix.random(memory, random, rows, cols);
    Epilogue epilogue = Epilogue.of(activation, bias, bits(rows, cols));
    epilogue.dropout(0.5f, key);
    SameBits.forAnyThreads(team -> {
      Matrix y = TestMatrix.nan(memory, rows, cols);
      Matrix inputGrad = TestMatrix.nan(memory, rows, cols);
      epilogue.forward(team, rows, x, y);
      epilogue.backward(team, rows, grad, inputGrad, false);
      return new Matrix[] {y, inputGrad};
    });
  }

  @Test
  void dropsTheShareAskedForAndKeepsTheMean() {
    Matrix x = Matrix.allocate(memory, 1000, 64);
    x.fill(1);
    Epilogue epilogue = Epilogue.of(Activation.NONE, null, bits(1000, 64));
    epilogue.dropout(0.25f, key);
    epilogue.forward(workers, 1000, x, x);
    double sum = 0;
    for (float[] row : x.toArray()) {
      for (float value : row) {
        if (value != 0 && value != 1 / 0.75f) {
          assertThat(value).isEqualTo(1 / 0.75f);
        }
        sum += value;
      }
    }
    assertThat(sum / 64_000).isCloseTo(1, within(0.02));
  }

  @ParameterizedTest
  @EnumSource
  void notANumberShows(Activation activation) {
    for (RowKernels kernels : KERNELS) {
      Matrix x = TestMatrix.zeros(memory, 1, 9);
      x.set(0, 4, Float.NaN);
      Epilogue epilogue = Epilogue.of(activation, null, bits(1, 9));
      epilogue.forward(workers, 0, x, x);
      kernels.epilogue(epilogue, 0, 1);
      assertThat(x.get(0, 4)).isNaN();
      assertThat(x.get(0, 5)).isEqualTo(0);
    }
  }
}
