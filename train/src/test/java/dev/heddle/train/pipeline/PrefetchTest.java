package dev.heddle.train.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pipeline of two stages, the second of which is the caller: loading ahead of training. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PrefetchTest {
  private static final int PER_EPOCH = 3;

  private final BlockingQueue<String> filled = new LinkedBlockingQueue<>();
  private final Timeline timeline = new Timeline();

  /** A slot that says what is in it. */
  private static final class Box {
    private volatile String item = "";
  }

  private Pipeline<Box> ahead(int slots) {
    return ahead(
        slots,
        (box, epoch, item) -> {
          box.item = epoch + "." + item;
          filled.add(box.item);
        });
  }

  private Pipeline<Box> ahead(int slots, StageSpec.Work<Box> work) {
    List<Box> all = List.of(new Box(), new Box()).subList(0, slots);
    Lane lane = slots == 1 ? timeline.training() : timeline.lane("load");
    List<StageSpec<Box>> load = List.of(StageSpec.first(Stage.LOAD, lane, work));
    return Pipeline.feeding(timeline.training(), all, PER_EPOCH, load);
  }

  /** The next item to be filled, waited for. */
  private String awaitFilled() throws InterruptedException {
    String item = filled.poll(20, TimeUnit.SECONDS);
    assertThat(item).isNotNull();
    return item;
  }

  @Test
  void oneSlotIsFilledWhenAskedFor() {
    try (Pipeline<Box> ahead = ahead(1)) {
      ahead.expect(5);
      ahead.begin(1);
      assertThat(filled).isEmpty();
      for (int item = 0; item < PER_EPOCH; item++) {
        assertThat(ahead.next().item).isEqualTo("1." + item);
      }
      ahead.end();
      ahead.begin(4);
      assertThat(ahead.next().item).isEqualTo("4.0");
      assertThat(filled).hasSize(PER_EPOCH + 1);
    }
  }

  @Test
  void itemsComeInOrder() {
    try (Pipeline<Box> ahead = ahead(2)) {
      ahead.expect(4);
      for (int epoch = 1; epoch <= 4; epoch++) {
        ahead.begin(epoch);
        for (int item = 0; item < PER_EPOCH; item++) {
          assertThat(ahead.next().item).isEqualTo(epoch + "." + item);
        }
        assertThatThrownBy(ahead::next).hasMessageContaining("no further item");
        ahead.end();
      }
    }
    assertThat(filled).hasSize(4 * PER_EPOCH);
  }

  @Test
  void anExpectedEpochIsBegunWhileTheLastItemIsInUse() throws InterruptedException {
    try (Pipeline<Box> ahead = ahead(2)) {
      ahead.expect(2);
      ahead.begin(1);
      for (int item = 0; item < PER_EPOCH; item++) {
        Box _ = ahead.next();
        assertThat(awaitFilled()).isEqualTo("1." + item);
      }
      assertThat(awaitFilled()).isEqualTo("2.0");
      assertThatThrownBy(() -> ahead.begin(3)).hasMessageContaining("epoch 2 is worked on ahead");
      ahead.begin(2);
      assertThat(ahead.next().item).isEqualTo("2.0");
      assertThatThrownBy(() -> ahead.begin(3)).hasMessageContaining("is not at its end");
    }
  }

  @Test
  void nothingIsLoadedForAnEpochThatNobodyExpects() {
    try (Pipeline<Box> ahead = ahead(2)) {
      ahead.begin(1);
      for (int item = 0; item < PER_EPOCH; item++) {
        Box _ = ahead.next();
      }
      ahead.end();
      ahead.begin(7);
      assertThat(ahead.next().item).isEqualTo("7.0");
    }
    assertThat(filled).startsWith("1.0", "1.1", "1.2", "7.0");
  }

  /** Others load the same: all must end with as many items, however far each thread was. */
  @Test
  void closingWaitsForAllThatMayHaveBeenBegun() {
    for (int repetition = 0; repetition < 50; repetition++) {
      filled.clear();
      try (Pipeline<Box> ahead = ahead(2)) {
        ahead.expect(9);
        ahead.begin(1);
        if (repetition % 2 == 1) {
          Box _ = ahead.next();
        }
      }
      assertThat(filled).containsExactly("1.0", "1.1");
    }
  }

  @Test
  void closingBeforeAnythingWasBegunEndsAtOnce() {
    ahead(2).close();
    assertThat(filled).isEmpty();
  }

  @Test
  void whatFailsIsToldToWhoAsks() {
    StageSpec.Work<Box> failing =
        (_, _, _) -> {
          throw new IllegalArgumentException("no such item");
        };
    for (int slots = 1; slots <= 2; slots++) {
      try (Pipeline<Box> ahead = ahead(slots, failing)) {
        ahead.begin(1);
        assertThatThrownBy(ahead::next).hasMessage("no such item");
      }
    }
  }
}
