package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LearningRateTest {
  @Test
  void constantStays() {
    assertThat(rates(new LearningRate.Constant(0.1f), 3)).containsExactly(0.1f, 0.1f, 0.1f);
  }

  // The expected values of the next two were computed by torch.optim.lr_scheduler 2.13.

  @Test
  void stepDropsAsTorchDoes() {
    assertThat(rates(new LearningRate.Step(0.1f, 3, 0.5f), 8))
        .containsExactly(
            new float[] {0.1f, 0.1f, 0.1f, 0.05f, 0.05f, 0.05f, 0.025f, 0.025f}, within(1e-8f));
  }

  @Test
  void cosineFallsAsTorchDoes() {
    assertThat(rates(new LearningRate.Cosine(0.1f, 0.01f, 8, 0), 10))
        .containsExactly(
            new float[] {
              0.1f,
              0.09657458f,
              0.08681981f,
              0.07222075f,
              0.055f,
              0.03777925f,
              0.0231802f,
              0.01342542f,
              0.01f,
              0.01f
            },
            within(1e-8f));
  }

  @Test
  void warmUpRisesToTheFullRate() {
    assertThat(rates(new LearningRate.Cosine(0.4f, 0, 6, 4), 7))
        .containsExactly(new float[] {0.1f, 0.2f, 0.3f, 0.4f, 0.4f, 0.2f, 0}, within(1e-7f));
  }

  @Test
  void impossibleSchedulesAreRefused() {
    assertThatThrownBy(() -> new LearningRate.Step(0.1f, 0, 0.5f))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new LearningRate.Cosine(0.1f, 0, 5, 5))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static float[] rates(LearningRate schedule, int epochs) {
    float[] rates = new float[epochs];
    for (int epoch = 0; epoch < epochs; epoch++) {
      rates[epoch] = schedule.at(epoch);
    }
    return rates;
  }
}
