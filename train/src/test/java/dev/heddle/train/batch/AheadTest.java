package dev.heddle.train.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class AheadTest {
  private static final int PER_EPOCH = 3;

  private final BlockingQueue<String> filled = new LinkedBlockingQueue<>();

  /** A slot that says what is in it. */
  private static final class Slot {
    private volatile String item = "";
  }

  private Ahead<Slot> ahead(int slots) {
    List<Slot> all = List.of(new Slot(), new Slot()).subList(0, slots);
    return new Ahead<>(
        all,
        PER_EPOCH,
        (slot, epoch, item) -> {
          slot.item = epoch + "." + item;
          filled.add(slot.item);
        },
        "test-ahead");
  }

  /** The next item to be filled, waited for. */
  private String awaitFilled() throws InterruptedException {
    String item = filled.poll(20, TimeUnit.SECONDS);
    assertThat(item).isNotNull();
    return item;
  }

  @Test
  void oneSlotIsFilledWhenAskedFor() {
    try (Ahead<Slot> ahead = ahead(1)) {
      ahead.expect(5);
      ahead.begin(1);
      assertThat(filled).isEmpty();
      for (int item = 0; item < PER_EPOCH; item++) {
        assertThat(ahead.next().item).isEqualTo("1." + item);
      }
      ahead.begin(4);
      assertThat(ahead.next().item).isEqualTo("4.0");
      assertThat(filled).hasSize(PER_EPOCH + 1);
    }
  }

  @Test
  void itemsComeInOrder() {
    try (Ahead<Slot> ahead = ahead(2)) {
      ahead.expect(4);
      for (int epoch = 1; epoch <= 4; epoch++) {
        ahead.begin(epoch);
        for (int item = 0; item < PER_EPOCH; item++) {
          assertThat(ahead.next().item).isEqualTo(epoch + "." + item);
        }
      }
    }
    assertThat(filled).hasSize(4 * PER_EPOCH);
  }

  @Test
  void anExpectedEpochIsBegunWhileTheLastItemIsInUse() throws InterruptedException {
    try (Ahead<Slot> ahead = ahead(2)) {
      ahead.expect(2);
      ahead.begin(1);
      for (int item = 0; item < PER_EPOCH; item++) {
        Slot _ = ahead.next();
        assertThat(awaitFilled()).isEqualTo("1." + item);
      }
      assertThat(awaitFilled()).isEqualTo("2.0");
      assertThatThrownBy(() -> ahead.begin(3)).hasMessageContaining("epoch 2 is loaded ahead");
      ahead.begin(2);
      assertThat(ahead.next().item).isEqualTo("2.0");
    }
  }

  @Test
  void nothingIsLoadedForAnEpochThatNobodyExpects() {
    try (Ahead<Slot> ahead = ahead(2)) {
      ahead.begin(1);
      for (int item = 0; item < PER_EPOCH; item++) {
        Slot _ = ahead.next();
      }
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
      try (Ahead<Slot> ahead = ahead(2)) {
        ahead.expect(9);
        ahead.begin(1);
        Slot _ = ahead.next();
      }
      assertThat(filled).containsExactly("1.0", "1.1");
    }
  }

  @Test
  void whatFailsIsToldToWhoAsks() {
    Ahead.Filling<Slot> failing =
        (_, _, _) -> {
          throw new IllegalArgumentException("no such item");
        };
    try (Ahead<Slot> ahead =
        new Ahead<>(List.of(new Slot(), new Slot()), PER_EPOCH, failing, "test-ahead")) {
      ahead.begin(1);
      assertThatThrownBy(ahead::next).hasMessage("no such item");
    }
  }
}
