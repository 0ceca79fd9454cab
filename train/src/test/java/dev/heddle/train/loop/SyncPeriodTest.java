package dev.heddle.train.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.train.settings.Consistency;
import org.junit.jupiter.api.Test;

/** How often models are compared. */
class SyncPeriodTest {
  private static final int STALENESS = 4;

  private static SyncPeriod adaptive(int stepsOfAnEpoch) {
    SyncPeriod period = new SyncPeriod(Consistency.ADAPTIVE, STALENESS);
    period.begin(stepsOfAnEpoch);
    return period;
  }

  @Test
  void beginsWithEightAnEpochWithinBounds() {
    assertThat(adaptive(80).steps()).isEqualTo(10);
    assertThat(adaptive(8).steps()).isEqualTo(STALENESS);
    assertThat(adaptive(2).steps()).isEqualTo(STALENESS);
  }

  @Test
  void shortensWhereModelsDivergeOrAWorkerIsLate() {
    SyncPeriod period = adaptive(160);
    period.compared(/* equal= */ true, 0.02, /* late= */ false);
    assertThat(period.steps()).isEqualTo(10);
    period.compared(/* equal= */ true, 0, /* late= */ true);
    assertThat(period.steps()).isEqualTo(5);
    period.compared(/* equal= */ false, 0, /* late= */ false);
    assertThat(period.steps()).isEqualTo(STALENESS);
    assertThat(period.shortest()).isEqualTo(STALENESS);
    assertThat(period.longest()).isEqualTo(20);
  }

  @Test
  void lengthensWhereNothingIsAmissUpToAnEpoch() {
    SyncPeriod period = adaptive(160);
    period.compared(/* equal= */ true, 0.005, /* late= */ false);
    assertThat(period.steps()).isEqualTo(20);
    for (int i = 0; i < 9; i++) {
      period.compared(/* equal= */ true, 0.001, /* late= */ false);
    }
    assertThat(period.steps()).isEqualTo(160);
  }

  @Test
  void staysWhereItIsSaid() {
    SyncPeriod period = new SyncPeriod(Consistency.every(3), STALENESS);
    period.begin(100);
    period.compared(/* equal= */ false, 1, /* late= */ true);
    assertThat(period.steps()).isEqualTo(3);
  }
}
