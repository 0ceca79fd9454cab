package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadTeamTest {
  @Test
  void runsEveryTaskOnce() {
    for (int threads : new int[] {1, 2, 4}) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        for (int loop = 0; loop < 20_000; loop++) {
          int tasks = loop % 17;
          AtomicIntegerArray runs = new AtomicIntegerArray(17);
          team.run(tasks, runs::incrementAndGet);
          for (int i = 0; i < 17; i++) {
            assertThat(runs.get(i)).isEqualTo(i < tasks ? 1 : 0);
          }
        }
      }
    }
  }

  @Test
  void aFailureReachesTheCallerAndTheTeamGoesOn() {
    try (ThreadTeam team = ThreadTeam.of(3)) {
      for (int loop = 0; loop < 1000; loop++) {
        int bad = loop % 50;
        assertThatThrownBy(() ->
                team.run(
                    50,
                    i -> {
                      if (i == bad) {
                        throw new IllegalArgumentException("task " + i);
                      }
                    }))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("task " + bad);
      }
      int[] sum = new int[1];
      team.run(1, _ -> sum[0]++);
      assertThat(sum[0]).isEqualTo(1);
    }
  }

  @Test
  void sleepingHelpersWakeUp() throws InterruptedException {
    try (ThreadTeam team = ThreadTeam.of(2)) {
      for (int loop = 0; loop < 20; loop++) {
        Thread.sleep(3);
        AtomicIntegerArray runs = new AtomicIntegerArray(8);
        team.run(8, runs::incrementAndGet);
        assertThat(runs.get(7)).isEqualTo(1);
      }
    }
  }

  @Test
  void closeEndsTheThreads() {
    ThreadTeam team = ThreadTeam.of(3);
    team.run(10, _ -> {});
    team.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(t -> t.getName().startsWith("heddle-team") && t.isAlive());
    assertThatThrownBy(() -> team.run(10, _ -> {})).hasMessageContaining("closed");
  }

  @Test
  void threadsMustBePositive() {
    assertThatThrownBy(() -> ThreadTeam.of(0)).hasMessage("threads must be at least 1, not 0");
  }
}
