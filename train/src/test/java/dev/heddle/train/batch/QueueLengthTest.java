package dev.heddle.train.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.train.TestSeed;
import dev.heddle.train.batch.QueueLength.Measured;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** How long queues should be, by the published inputs and this engine's formula. */
class QueueLengthTest {
  private static final QueueLength LENGTH = new QueueLength(8);
  private static final long ROOM = 1_000_000;

  @Test
  void theRateDecidesWhereMemoryAllows() {
    // ⌈50 / 20⌉ + 1
    assertThat(LENGTH.next(1, new Measured(50, 20, 0.5, 10, ROOM))).isEqualTo(4);
    assertThat(LENGTH.next(1, new Measured(20, 50, 0.5, 10, ROOM))).isEqualTo(2);
    assertThat(LENGTH.next(1, new Measured(5000, 20, 0.5, 10, ROOM))).isEqualTo(8);
    assertThat(LENGTH.next(1, new Measured(50, 20, 0.5, ROOM / 3, ROOM))).isEqualTo(3);
  }

  @Test
  void growsOnlyWhereComputingStarved() {
    Measured slow = new Measured(5000, 20, 0.001, 10, ROOM);
    assertThat(LENGTH.next(2, slow)).isEqualTo(2);
    assertThat(LENGTH.next(2, new Measured(5000, 20, 0.02, 10, ROOM))).isEqualTo(8);
  }

  @Test
  void shrinksOnlyWhereMemoryIsShort() {
    assertThat(LENGTH.next(6, new Measured(1, 1000, 0, 10, ROOM))).isEqualTo(6);
    assertThat(LENGTH.next(6, new Measured(1, 1000, 0, ROOM / 2, ROOM))).isEqualTo(2);
    assertThat(LENGTH.next(6, new Measured(1, 1000, 0.9, ROOM, 0))).isEqualTo(1);
  }

  @RepeatedTest(20)
  void roundsThatWaitNeverExceedTheirMemory() {
    SplittableRandom random = TestSeed.random(this);
    int length = 1;
    for (int i = 0; i < 100; i++) {
      long each = 1L + random.nextInt(1000);
      long room = random.nextInt(10_000);
      Measured measured =
          new Measured(random.nextInt(1000), random.nextInt(1000), random.nextDouble(), each, room);
      length = LENGTH.next(length, measured);
      assertThat(length).isBetween(1, 8);
      assertThat(length == 1 || length * each <= room).isTrue();
    }
  }
}
