package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EarlyStoppingTest {
  @Test
  void stopsWhenPatienceIsOver() {
    var stopping = new EarlyStopping(3, true, 0);
    assertThat(stopping.shouldStop()).isFalse();
    assertThat(stopping.observe(0, 0.5)).isTrue();
    assertThat(stopping.observe(1, 0.7)).isTrue();
    assertThat(stopping.observe(2, 0.7)).isFalse();
    assertThat(stopping.observe(3, 0.6)).isFalse();
    assertThat(stopping.shouldStop()).isFalse();
    assertThat(stopping.observe(4, 0.6)).isFalse();
    assertThat(stopping.shouldStop()).isTrue();
    assertThat(stopping.bestEpoch()).isEqualTo(1);
    assertThat(stopping.bestScore()).isEqualTo(0.7);
  }

  @Test
  void lowerMayBeBetter() {
    var stopping = new EarlyStopping(2, false, 0);
    assertThat(stopping.observe(0, 3)).isTrue();
    assertThat(stopping.observe(1, 4)).isFalse();
    assertThat(stopping.observe(2, 2)).isTrue();
    assertThat(stopping.shouldStop()).isFalse();
  }

  @Test
  void gainsUpToTheDeltaDoNotCount() {
    var stopping = new EarlyStopping(2, true, 0.25);
    assertThat(stopping.observe(0, 1)).isTrue();
    assertThat(stopping.observe(1, 1.25)).isFalse();
    assertThat(stopping.observe(2, 1.5)).isTrue();
    assertThat(stopping.bestEpoch()).isEqualTo(2);
  }

  @Test
  void epochsWithoutEvaluationCountAsPassed() {
    var stopping = new EarlyStopping(10, true, 0);
    assertThat(stopping.observe(4, 1)).isTrue();
    assertThat(stopping.observe(9, 1)).isFalse();
    assertThat(stopping.shouldStop()).isFalse();
    assertThat(stopping.observe(14, 1)).isFalse();
    assertThat(stopping.shouldStop()).isTrue();
  }

  @Test
  void notANumberIsNeverBest() {
    var stopping = new EarlyStopping(2, true, 0);
    assertThat(stopping.observe(0, Double.NaN)).isFalse();
    assertThat(stopping.shouldStop()).isFalse();
    assertThat(stopping.observe(1, Double.NaN)).isFalse();
    assertThat(stopping.shouldStop()).isTrue();
    assertThat(stopping.bestEpoch()).isEqualTo(-1);
    assertThat(stopping.observe(2, -5)).isTrue();
    assertThat(stopping.observe(3, Double.NaN)).isFalse();
    assertThat(stopping.bestScore()).isEqualTo(-5);
  }

  @Test
  void wrongUseIsRefused() {
    assertThatThrownBy(() -> new EarlyStopping(0, true, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EarlyStopping(1, true, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    var stopping = new EarlyStopping(1, true, 0);
    assertThat(stopping.observe(3, 1)).isTrue();
    assertThatThrownBy(() -> stopping.observe(3, 2))
        .hasMessage("epoch 3 is observed after epoch 3");
  }
}
