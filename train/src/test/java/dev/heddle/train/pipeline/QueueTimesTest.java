package dev.heddle.train.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long stages with injected delays take together, and what those that wait cost. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class QueueTimesTest {
  private static final int ITEMS = 100;

  private final Timeline timeline = new Timeline();

  private static void sleep(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at work", e);
    }
  }

  /**
   * T-M1: an epoch takes n times the slowest stage, and what the first item needs, not n times the
   * sum of all. Delays are long beside what a busy machine adds to each.
   */
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"20, 25, 40", "40, 25, 20", "25, 40, 30", "30, 30, 30"})
  void anEpochTakesAsLongAsItsSlowestStage(int sample, int fetch, int compute) {
    List<StageSpec<int[]>> stages =
        List.of(
            StageSpec.first(Stage.SAMPLE, timeline.lane("sample"), (_, _, _) -> sleep(sample)),
            new StageSpec<>(
                Stage.FETCH, timeline.lane("fetch"), 4, true, (_, _, _) -> sleep(fetch)));
    List<int[]> slots = Stream.generate(() -> new int[0]).limit(7).toList();
    try (var pipeline = Pipeline.feeding(timeline.training(), slots, ITEMS, stages)) {
      long begin = System.nanoTime();
      pipeline.begin(1);
      for (int item = 0; item < ITEMS; item++) {
        int[] _ = pipeline.next();
        sleep(compute);
      }
      pipeline.end();
      double took = 1e-6 * (System.nanoTime() - begin);
      int slowest = Math.max(sample, Math.max(fetch, compute));
      assertThat(took).isLessThan(1.15 * ITEMS * slowest).isGreaterThan(ITEMS * slowest);
    }
  }

  /** A stage that waits is parked: it takes no share of the cores that others compute on. */
  @Test
  void aStageThatWaitsCostsNoCore() throws InterruptedException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    AtomicLong waiting = new AtomicLong();
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch ready = new CountDownLatch(1);
    List<StageSpec<int[]>> stages =
        List.of(
            StageSpec.first(
                Stage.SAMPLE,
                timeline.lane("sample"),
                (_, _, item) -> {
                  if (item == 1) {
                    await(go);
                  }
                }),
            new StageSpec<>(
                Stage.FETCH,
                timeline.lane("fetch"),
                1,
                true,
                (_, _, _) -> {
                  waiting.set(Thread.currentThread().threadId());
                  ready.countDown();
                }));
    List<int[]> slots = Stream.generate(() -> new int[0]).limit(4).toList();
    try (var pipeline = Pipeline.feeding(timeline.training(), slots, 2, stages)) {
      pipeline.begin(1);
      int[] _ = pipeline.next();
      await(ready);
      long before = threads.getThreadCpuTime(waiting.get());
      Thread.sleep(300);
      long spent = threads.getThreadCpuTime(waiting.get()) - before;
      go.countDown();
      int[] _ = pipeline.next();
      pipeline.end();
      assertThat(spent).isLessThan(TimeUnit.MILLISECONDS.toNanos(30));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at work", e);
    }
  }
}
