package dev.heddle.nn.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Memory;
import dev.heddle.nn.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SlotPlanTest {
  private static final int TIMES = 40;
  private static final int CACHE_LINE = 64;

  private final SplittableRandom random = TestSeed.random(this);

  @Test
  void slotsInUseAtTheSameTimeNeverOverlap() {
    for (int round = 0; round < 200; round++) {
      List<Slot> slots = randomSlots(1 + random.nextInt(60));
      try (Memory memory = new Memory()) {
        SlotPlan plan = SlotPlan.of(slots);
        plan.allocate(memory);
        assertThat(memory.bytes()).as("bytes taken").isEqualTo(plan.bytes());
        assertApart(slots);
        assertThat(plan.bytes()).isBetween(mostAtOnce(slots), allApart(slots));
      }
    }
  }

  @Test
  void slotsAfterOneAnotherShareTheSameBytes() {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Slot slot = new Slot(1000);
      slot.useAt(2 * i);
      slot.useAt(2 * i + 1);
      slots.add(slot);
    }
    assertThat(SlotPlan.of(slots).bytes()).isEqualTo(1024);
  }

  @Test
  void slotsThatAreAlwaysUsedShareNothing() {
    Slot constant = new Slot(100);
    constant.useAlways();
    Slot early = new Slot(100);
    early.useAt(-3);
    Slot late = new Slot(100);
    late.useAt(50);
    Slot unused = new Slot(1 << 20);
    SlotPlan plan = SlotPlan.of(List.of(early, constant, late, unused));
    assertThat(plan.bytes()).isEqualTo(2 * 128);
    try (Memory memory = new Memory()) {
      plan.allocate(memory);
      assertThat(early.memory().address()).isEqualTo(late.memory().address());
      assertThat(constant.memory().address()).isNotEqualTo(early.memory().address());
    }
  }

  @Test
  void slotsUsedInSingleMomentsLendTheirBytesInBetween() {
    Slot outer = new Slot(1000);
    outer.useOnlyAt(1);
    outer.useOnlyAt(9);
    Slot inner = new Slot(1000);
    inner.useAt(2);
    inner.useAt(8);
    Slot clashing = new Slot(1000);
    clashing.useAt(9);
    assertThat(SlotPlan.of(List.of(outer, inner)).bytes()).isEqualTo(1024);
    assertThat(SlotPlan.of(List.of(outer, inner, clashing)).bytes()).isEqualTo(2 * 1024);
  }

  private List<Slot> randomSlots(int count) {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Slot slot = new Slot(1 + random.nextInt(random.nextBoolean() ? 5000 : 100));
      int first = random.nextInt(TIMES);
      slot.useAt(first);
      slot.useAt(Math.min(TIMES - 1, first + random.nextInt(8)));
      if (random.nextInt(4) == 0) {
        slot.useOnlyAt(random.nextInt(TIMES));
      }
      if (random.nextInt(20) == 0) {
        slot.useAlways();
      }
      slots.add(slot);
    }
    return slots;
  }

  private static void assertApart(List<Slot> slots) {
    for (int i = 0; i < slots.size(); i++) {
      Slot a = slots.get(i);
      long from = a.memory().address();
      assertThat(from % CACHE_LINE).isZero();
      assertThat(a.memory().byteSize()).isGreaterThanOrEqualTo(a.bytes);
      for (Slot b : slots.subList(0, i)) {
        long other = b.memory().address();
        boolean apart = from + a.bytes <= other || other + b.bytes <= from;
        assertThat(apart || !a.overlaps(b)).as("slots %d bytes apart", other - from).isTrue();
      }
    }
  }

  /** What is in use at the fullest moment: no plan takes less. */
  private static long mostAtOnce(List<Slot> slots) {
    long most = 0;
    for (int time = 0; time < TIMES; time++) {
      Slot now = new Slot(0);
      now.useAt(time);
      most = Math.max(most, slots.stream().filter(now::overlaps).mapToLong(s -> s.bytes).sum());
    }
    return most;
  }

  private static long allApart(List<Slot> slots) {
    return slots.stream().mapToLong(s -> (s.bytes + CACHE_LINE - 1) / CACHE_LINE).sum()
        * CACHE_LINE;
  }
}
