package dev.heddle.train.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.kernel.Memory;
import dev.heddle.train.AllocatedBytes;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LaneTest {
  private static ThreadTimes only(Timeline timeline) {
    return timeline.times(0).threads().getFirst();
  }

  /** Time goes to the innermost span, and what is waited within one is told of all around it. */
  @Test
  void spansLieWithinSpans() {
    Timeline timeline = new Timeline(100);
    Lane lane = timeline.training();
    lane.begin(Stage.EPOCH, 3, 0);
    lane.begin(Stage.COMPUTE, 3, 7);
    lane.begin(Stage.SHARE);
    lane.beginWait();
    spend();
    long waited = lane.end();
    long share = lane.end();
    long compute = lane.end();
    long epoch = lane.end();
    ThreadTimes times = only(timeline);
    assertThat(times.nanos(Stage.SHARE, Time.STARVED)).isEqualTo(waited).isPositive();
    assertThat(times.nanos(Stage.SHARE)).isEqualTo(share);
    assertThat(times.nanos(Stage.COMPUTE)).isEqualTo(compute - share);
    assertThat(times.nanos(Stage.EPOCH, Time.BUSY)).isEqualTo(epoch - compute);
    assertThat(times.nanos(Time.STARVED)).isEqualTo(waited);
    List<Span> spans = times.spans();
    assertThat(spans)
        .extracting(Span::stage)
        .containsExactly(Stage.SHARE, Stage.SHARE, Stage.COMPUTE, Stage.EPOCH);
    assertThat(spans).extracting(Span::item).containsExactly(7, 7, 7, 0);
    assertThat(spans).extracting(Span::epoch).containsOnly(3);
    assertThat(spans).extracting(Span::waited).containsExactly(0L, waited, waited, waited);
    for (int i = 1; i < spans.size(); i++) {
      assertThat(spans.get(i).begin()).isLessThanOrEqualTo(spans.get(i - 1).begin());
      assertThat(spans.get(i).end()).isGreaterThanOrEqualTo(spans.get(i - 1).end());
    }
  }

  private static void spend() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < 100_000) {
      Thread.onSpinWait();
    }
  }

  /** What is known to have been waited moves from busy to starved, and no total changes. */
  @Test
  void whatOthersTimedIsMoved() {
    Timeline timeline = new Timeline(100);
    Lane lane = timeline.training();
    lane.begin(Stage.EXCHANGE, 1, 0);
    spend();
    lane.waited(40_000);
    long length = lane.end();
    ThreadTimes times = only(timeline);
    assertThat(times.nanos(Stage.EXCHANGE, Time.STARVED)).isEqualTo(40_000);
    assertThat(times.nanos(Stage.EXCHANGE)).isEqualTo(length);
    assertThat(times.spans().getFirst().waited()).isEqualTo(40_000);
  }

  /** However many spans are forgotten, totals are those of a lane that forgets none. */
  @Test
  void overflowIsCountedAndTotalsAreExact() {
    Timeline timeline = new Timeline(8);
    Lane lane = timeline.training();
    long sum = 0;
    for (int item = 0; item < 1000; item++) {
      lane.begin(Stage.COMPUTE, 1, item);
      sum += lane.end();
    }
    ThreadTimes times = only(timeline);
    assertThat(times.overflowed()).isEqualTo(992);
    assertThat(times.spans())
        .extracting(Span::item)
        .containsExactly(992, 993, 994, 995, 996, 997, 998, 999);
    assertThat(times.nanos(Stage.COMPUTE)).isEqualTo(sum);
    timeline.restart(2000);
    assertThat(only(timeline).nanos(Stage.COMPUTE)).isZero();
    assertThat(only(timeline).overflowed()).isZero();
  }

  /** Whoever reads while others record sees what they are at. */
  @Test
  void openSpansAreSeenAsTheyAre() {
    Timeline timeline = new Timeline(100);
    Lane lane = timeline.training();
    lane.begin(Stage.LOAD, 2, 1);
    lane.begin(Stage.FETCH);
    lane.beginWait();
    spend();
    List<Span> spans = only(timeline).spans();
    assertThat(spans).extracting(Span::stage).containsExactly(Stage.FETCH, Stage.FETCH, Stage.LOAD);
    long waited = spans.getFirst().nanos();
    assertThat(spans).extracting(Span::waited).containsExactly(0L, waited, waited);
    assertThat(spans).extracting(Span::end).containsOnly(spans.getFirst().end());
  }

  /** Totals are of the lane's whole life, spans that are open included. */
  @Test
  void totalsAddUpToAllTime() {
    Timeline timeline = new Timeline(0);
    Lane lane = timeline.training();
    long before = System.nanoTime();
    timeline.restart();
    long start = System.nanoTime();
    lane.begin(Stage.EPOCH, 1, 0);
    spend();
    long end = System.nanoTime();
    long sum = Arrays.stream(lane.totals()).sum();
    long after = System.nanoTime();
    assertThat(sum).isBetween(end - start, after - before);
    assertThat(lane.nanos(Stage.EPOCH)).isGreaterThanOrEqualTo(100_000);
  }

  @Test
  void endsWithoutABeginningAreRefused() {
    Lane lane = new Timeline().training();
    assertThatThrownBy(lane::end).hasMessageContaining("thread train has no span to end");
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                lane.begin(Stage.COMPUTE);
              }
            })
        .hasMessageContaining("ended none");
  }

  @Test
  void recordingAllocatesNothing() {
    Lane lane = new Timeline(64).training();
    long bytes =
        AllocatedBytes.least(
            1000,
            0,
            item -> {
              lane.begin(Stage.COMPUTE, 1, item);
              lane.beginWait();
              lane.end();
              lane.waited(1);
              lane.end();
            });
    assertThat(bytes).isZero();
  }

  /** The first worker is told all, by names and to the nanosecond; others keep their own. */
  @Test
  void workersTellTheFirst() {
    Timeline[] timelines = new Timeline[3];
    List<?>[] gathered = new List<?>[3];
    LocalWorkers.run(
        3,
        GroupSettings.DEFAULT,
        group -> {
          int rank = group.rank();
          Timeline timeline = new Timeline(1000);
          timelines[rank] = timeline;
          for (int t = 0; t < rank; t++) {
            Lane lane = timeline.lane("thread ü " + t);
            for (int item = 0; item < 400 * rank; item++) {
              lane.begin(Stage.FETCH, Time.BLOCKED, rank, item);
              lane.end();
            }
          }
          gathered[rank] = WorkerTimes.gathered(group, timeline.times(rank), new Memory());
        });
    assertThat(gathered[1]).hasSize(1);
    assertThat(gathered[0]).hasSize(3);
    for (int rank = 0; rank < 3; rank++) {
      WorkerTimes told = (WorkerTimes) gathered[0].get(rank);
      WorkerTimes own = timelines[rank].times(rank);
      assertThat(told.worker()).isEqualTo(rank);
      assertThat(told.threads()).hasSize(1 + rank);
      for (int t = 0; t <= rank; t++) {
        assertThat(told.threads().get(t).thread()).isEqualTo(own.threads().get(t).thread());
        assertThat(told.threads().get(t).spans()).isEqualTo(own.threads().get(t).spans());
        assertThat(told.threads().get(t).nanos(Stage.FETCH, Time.BLOCKED))
            .isEqualTo(own.threads().get(t).nanos(Stage.FETCH, Time.BLOCKED));
      }
    }
  }
}
