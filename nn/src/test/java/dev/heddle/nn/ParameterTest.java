package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParameterTest {
  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  @Test
  void drawsDependOnSeedAndOrdinalAlone() {
    float[][] first = initialised("a", Init.GLOROT_UNIFORM, 7, 2);
    assertThat(initialised("b", Init.GLOROT_UNIFORM, 7, 2)).isDeepEqualTo(first);
    assertThat(initialised("a", Init.GLOROT_UNIFORM, 8, 2)).isNotEqualTo(first);
    assertThat(initialised("a", Init.GLOROT_UNIFORM, 7, 3)).isNotEqualTo(first);
  }

  @Test
  void uniformDrawsFillTheirBounds() {
    assertUniform(initialised("w", Init.GLOROT_UNIFORM, 1, 0), Math.sqrt(6.0 / (90 + 60)));
    assertUniform(initialised("w", Init.KAIMING_UNIFORM, 1, 0), 1 / Math.sqrt(90));
    assertUniform(initialised("w", new Init.Uniform(0.3), 1, 0), 0.3);
  }

  private static void assertUniform(float[][] values, double bound) {
    double sum = 0;
    double squares = 0;
    double highest = 0;
    double count = 0;
    for (float[] row : values) {
      for (float value : row) {
        sum += value;
        squares += (double) value * value;
        highest = Math.max(highest, Math.abs(value));
        count++;
      }
    }
    assertThat(highest).isLessThanOrEqualTo(bound).isGreaterThan(0.99 * bound);
    assertThat(sum / count).isCloseTo(0, within(0.03 * bound));
    assertThat(squares / count).isCloseTo(bound * bound / 3, within(0.02 * bound * bound));
  }

  @Test
  void normalDrawsHaveTheirDeviation() {
    double squares = 0;
    float[][] values = initialised("w", new Init.Normal(0.1), 1, 0);
    for (float[] row : values) {
      for (float value : row) {
        squares += (double) value * value;
      }
    }
    assertThat(Math.sqrt(squares / (90 * 60))).isCloseTo(0.1, within(0.005));
  }

  @Test
  void constantsFillTheMatrix() {
    assertThat(initialised("w", Init.ONES, 1, 0)[89]).containsOnly(1);
    assertThat(initialised("w", Init.ZEROS, 1, 0)[89]).containsOnly(0);
  }

  @Test
  void gradientIsZeroedAndNumbersAreCounted() {
    Parameter p = Parameter.allocate(memory, "w", 3, 5);
    p.grad().fill(4);
    p.zeroGrad();
    assertThat(p.grad().toArray()).isDeepEqualTo(new float[3][5]);
    assertThat(p.count()).isEqualTo(15);
    assertThat(p.weightDecay()).isEqualTo(1);
    assertThat(p).hasToString("Parameter[w, 3 x 5]");
  }

  private float[][] initialised(String name, Init init, long seed, int ordinal) {
    Parameter p = Parameter.allocate(memory, name, 90, 60);
    p.initialise(init, seed, ordinal);
    Matrix value = p.value();
    return value.toArray();
  }
}
