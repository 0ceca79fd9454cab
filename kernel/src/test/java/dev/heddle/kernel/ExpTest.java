package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExpTest {
  @Test
  void isCloseToTheTrueValue() {
    double worst = 0;
    for (float x = 0; x > -87; x = Math.nextDown(x * 1.00003f) - 1e-7f) {
      double expected = Math.exp(x);
      worst = Math.max(worst, Math.abs(Exp.of(x) - expected) / expected);
    }
    assertThat(worst).isLessThan(1e-7);
  }

  @Test
  void knowsTheEnds() {
    assertThat(Exp.of(0)).isEqualTo(1);
    assertThat(Exp.of(-0f)).isEqualTo(1);
    assertThat(Exp.of(-88)).isZero();
    assertThat(Exp.of(Float.NEGATIVE_INFINITY)).isZero();
    assertThat(Exp.of(Float.NaN)).isNaN();
  }

  @Test
  void simdGivesTheSameBits() {
    RandomCase random = new RandomCase(this);
    float[] values = new float[4096];
    for (int i = 0; i < values.length; i++) {
      values[i] = -100f * random.below(1 << 20) / (1 << 20);
    }
    values[0] = 0;
    values[1] = Float.NEGATIVE_INFINITY;
    values[2] = Float.NaN;
    values[3] = Math.nextDown(Exp.LOWEST);
    float[] expected = values.clone();
    for (int i = 0; i < expected.length; i++) {
      expected[i] = Exp.of(expected[i]);
    }
    SimdExp.inPlace(values, values.length);
    assertThat(values).containsExactly(expected);
  }
}
