package dev.heddle.train.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.train.AllocatedBytes;
import dev.heddle.train.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PipelineTest {
  /** Of a system whose every stage has a thread of its own. */
  private static final List<Stage> FIVE =
      List.of(Stage.SAMPLE, Stage.FETCH, Stage.COMPUTE, Stage.SHARE, Stage.UPDATE);

  private final Timeline timeline = new Timeline();

  /** What the stages of a pipeline did to an item. */
  private static final class Box {
    private int epoch;
    private int item;
    private int stages;
  }

  private static List<Box> boxes(int count) {
    return Stream.generate(Box::new).limit(count).toList();
  }

  private StageSpec<Box> stage(int number, int capacity, boolean ahead, StageSpec.Work<Box> work) {
    Stage stage = FIVE.get(number);
    return new StageSpec<>(stage, timeline.lane(stage.label()), capacity, ahead, work);
  }

  private static void await(BooleanSupplier what) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!what.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      Thread.onSpinWait();
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

  /** Checks that its stage sees every item once, in order, after the stage before. */
  private static final class InOrder implements StageSpec.Work<Box> {
    private final int number;
    private final int perEpoch;
    private final SplittableRandom random;
    private int done;
    private int ended;

    InOrder(int number, int perEpoch, SplittableRandom random) {
      this.number = number;
      this.perEpoch = perEpoch;
      this.random = random;
    }

    @Override
    public void run(Box box, int epoch, int item) {
      assertThat(epoch).isEqualTo(1 + done / perEpoch);
      assertThat(item).isEqualTo(done % perEpoch);
      if (number == 0) {
        box.epoch = epoch;
        box.item = item;
        box.stages = 0;
      }
      assertThat(box.epoch).isEqualTo(epoch);
      assertThat(box.item).isEqualTo(item);
      assertThat(box.stages++).isEqualTo(number);
      done++;
      for (int i = random.nextInt(1 + random.nextInt(2000)); i > 0; i--) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void endEpoch(int epoch) {
      assertThat(epoch).isEqualTo(++ended);
      assertThat(done).isEqualTo(epoch * perEpoch);
    }
  }

  /** Slots that are kept back are used by nobody, and the same ones stay unused. */
  @Test
  void fewerSlotsCanBeUnderWay() {
    List<Box> all = boxes(6);
    int perEpoch = 40;
    Set<Box> used = Collections.newSetFromMap(new ConcurrentHashMap<>());
    List<StageSpec<Box>> stages =
        List.of(
            stage(0, 9, true, (box, _, _) -> used.add(box)), stage(1, 2, true, (_, _, _) -> {}));
    try (Pipeline<Box> pipeline = Pipeline.feeding(timeline.training(), all, perEpoch, stages)) {
      pipeline.inFlight(3);
      for (int epoch = 1; epoch <= 4; epoch++) {
        pipeline.inFlight(epoch < 3 ? 3 : 6 - epoch);
        pipeline.begin(epoch);
        for (int item = 0; item < perEpoch; item++) {
          Box _ = pipeline.next();
        }
        pipeline.end();
        assertThat(used).hasSizeLessThanOrEqualTo(3);
      }
      List<Box> kept = new ArrayList<>();
      pipeline.forEachKept(kept::add);
      assertThat(kept).hasSizeGreaterThanOrEqualTo(3).doesNotHaveDuplicates();
      assertThat(kept.subList(0, 3)).doesNotContainAnyElementsOf(used);
      assertThatThrownBy(() -> pipeline.inFlight(7)).hasMessageContaining("from 1 to 6");
    }
  }

  /** Whatever stages, slots and capacities there are, and while these change. */
  @RepeatedTest(20)
  void slotsAreNeitherLostNorReordered() throws InterruptedException {
    SplittableRandom random = TestSeed.random(this);
    int count = 1 + random.nextInt(5);
    int slots = 2 + random.nextInt(6);
    int perEpoch = 1 + random.nextInt(40);
    boolean feeds = random.nextBoolean();
    List<InOrder> works = new ArrayList<>();
    List<StageSpec<Box>> stages = new ArrayList<>();
    for (int s = 0; s < count; s++) {
      works.add(new InOrder(s, perEpoch, random.split()));
      stages.add(stage(s, 1 + random.nextInt(3), random.nextBoolean(), works.get(s)));
    }
    Lane caller = timeline.training();
    int epochs = 5;
    try (Pipeline<Box> pipeline =
        feeds
            ? Pipeline.feeding(caller, boxes(slots), perEpoch, stages)
            : Pipeline.running(caller, boxes(slots), perEpoch, stages)) {
      SplittableRandom sizes = random.split();
      Thread resizing =
          Thread.ofPlatform()
              .start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                  int queue = sizes.nextInt(count + (feeds ? 1 : 0));
                  if (queue > 0) {
                    pipeline.queue(queue).capacity(1 + sizes.nextInt(slots));
                  }
                  Thread.onSpinWait();
                }
              });
      if (random.nextBoolean()) {
        pipeline.expect(epochs);
      }
      for (int epoch = 1; epoch <= epochs; epoch++) {
        pipeline.begin(epoch);
        for (int item = 0; feeds && item < perEpoch; item++) {
          Box box = pipeline.next();
          assertThat(box.epoch).isEqualTo(epoch);
          assertThat(box.item).isEqualTo(item);
          assertThat(box.stages).isEqualTo(count);
        }
        pipeline.end();
        assertThat(works.getLast().done).isGreaterThanOrEqualTo(epoch * perEpoch);
      }
      resizing.interrupt();
      resizing.join();
    }
    assertThat(works).extracting(work -> work.done).containsOnly(epochs * perEpoch);
    assertThat(works).extracting(work -> work.ended).containsOnly(epochs);
  }

  /**
   * MQ-GNN's claim that stages overlap (T-M1), without a clock: all stages are at work at one
   * moment, each on another item, or nobody gets any further.
   */
  @Test
  void allStagesWorkAtOneTime() {
    int perEpoch = 50;
    CyclicBarrier together = new CyclicBarrier(FIVE.size());
    List<StageSpec<Box>> stages =
        IntStream.range(0, FIVE.size())
            .mapToObj(s ->
                stage(
                    s,
                    1,
                    false,
                    (_, _, item) -> {
                      if (item + s >= FIVE.size() - 1 && item + s < perEpoch) {
                        meet(together);
                      }
                    }))
            .toList();
    try (Pipeline<Box> pipeline =
        Pipeline.running(timeline.training(), boxes(FIVE.size()), perEpoch, stages)) {
      for (int epoch = 1; epoch <= 2; epoch++) {
        pipeline.begin(epoch);
        pipeline.end();
      }
    }
    WorkerTimes times = timeline.times(0);
    for (Stage stage : FIVE) {
      assertThat(times.nanos(stage)).isPositive();
    }
  }

  /** The first stage may run ahead within an epoch, and not into the next one. */
  @Test
  void epochsCanBeKeptApart() {
    int perEpoch = 3;
    AtomicInteger fetched = new AtomicInteger();
    List<Integer> beginnings = new CopyOnWriteArrayList<>();
    StageSpec.Work<Box> begins =
        (_, epoch, item) -> {
          if (item == 0) {
            // All of the epochs before are through, however slow the second stage is.
            beginnings.add(fetched.get() - (epoch - 1) * perEpoch);
          }
        };
    StageSpec.Work<Box> slow =
        (_, _, _) -> {
          LockSupport.parkNanos(2_000_000);
          fetched.incrementAndGet();
        };
    List<StageSpec<Box>> stages = List.of(stage(0, 9, true, begins), stage(1, 9, true, slow));
    try (Pipeline<Box> pipeline =
        Pipeline.feeding(timeline.training(), boxes(9), perEpoch, stages)) {
      pipeline.epochsApart();
      pipeline.expect(4);
      for (int epoch = 1; epoch <= 4; epoch++) {
        pipeline.begin(epoch);
        for (int item = 0; item < perEpoch; item++) {
          Box _ = pipeline.next();
        }
        pipeline.end();
      }
    }
    assertThat(beginnings).containsExactly(0, 0, 0, 0);
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at work", e);
    } catch (BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException("the others do not work meanwhile", e);
    }
  }

  /** The bound of T-M2: who gives on waits, and goes on as far as a larger queue has room. */
  @Test
  void queuesBlockWhoFillsThem() {
    AtomicInteger produced = new AtomicInteger();
    CountDownLatch open = new CountDownLatch(1);
    List<StageSpec<Box>> stages =
        List.of(
            stage(0, 1, true, (_, _, _) -> produced.incrementAndGet()),
            stage(1, 2, true, (_, _, _) -> await(open)));
    try (Pipeline<Box> pipeline = Pipeline.running(timeline.training(), boxes(20), 100, stages)) {
      pipeline.begin(1);
      SlotQueue<Box> queue = pipeline.queue(1);
      // One at work, two in the queue, one that waits for room.
      await(() -> produced.get() == 4 && queue.size() == 2);
      assertThat(queue.highWater()).isEqualTo(2);
      queue.capacity(5);
      await(() -> produced.get() == 7 && queue.size() == 5);
      queue.capacity(1);
      assertThat(queue.size()).isEqualTo(5);
      assertThat(queue.capacity()).isEqualTo(1);
      assertThat(produced.get()).isEqualTo(7);
      open.countDown();
      pipeline.end();
      assertThat(produced.get()).isEqualTo(100);
      assertThat(queue.highWater()).isEqualTo(5);
      assertThatThrownBy(() -> queue.capacity(0)).hasMessageContaining("room for a slot");
    }
    assertThat(timeline.times(0).nanos(Stage.QUEUE, Time.BLOCKED)).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void theFirstFailureOfAnyStageIsToldToTheCaller(int failing) {
    List<StageSpec<Box>> stages =
        IntStream.range(0, FIVE.size())
            .mapToObj(s ->
                stage(
                    s,
                    1,
                    true,
                    (_, epoch, item) -> {
                      if (s == failing && epoch == 2 && item == 3) {
                        throw new IllegalArgumentException("stage " + s + " cannot do it");
                      }
                    }))
            .toList();
    for (boolean feeds : new boolean[] {false, true}) {
      Pipeline<Box> pipeline =
          feeds
              ? Pipeline.feeding(timeline.training(), boxes(4), 10, stages)
              : Pipeline.running(timeline.training(), boxes(4), 10, stages);
      try (pipeline) {
        assertThatThrownBy(
                () -> {
                  for (int epoch = 1; epoch <= 3; epoch++) {
                    pipeline.begin(epoch);
                    for (int item = 0; feeds && item < 10; item++) {
                      Box _ = pipeline.next();
                    }
                    pipeline.end();
                  }
                })
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("stage " + failing + " cannot do it");
        assertThatThrownBy(() -> pipeline.begin(4)).hasMessageContaining("cannot do it");
      }
    }
  }

  /** Stages that fail because of the first one do not hide it. */
  @Test
  void laterFailuresAreToldWithTheFirst() {
    CountDownLatch bothAtWork = new CountDownLatch(2);
    List<StageSpec<Box>> stages =
        List.of(
            stage(
                0,
                1,
                true,
                (_, _, item) -> {
                  if (item == 1) {
                    bothAtWork.countDown();
                    await(() -> bothAtWork.getCount() == 0);
                    throw new IllegalStateException("one");
                  }
                }),
            stage(
                1,
                1,
                true,
                (_, _, _) -> {
                  bothAtWork.countDown();
                  await(() -> bothAtWork.getCount() == 0);
                  throw new IllegalArgumentException("the other");
                }));
    Pipeline<Box> pipeline = Pipeline.running(timeline.training(), boxes(4), 10, stages);
    Throwable[] told = new Throwable[1];
    try (pipeline) {
      pipeline.begin(1);
      assertThatThrownBy(pipeline::end).satisfies(e -> told[0] = e);
    }
    assertThat(List.of(told[0].getMessage(), told[0].getSuppressed()[0].getMessage()))
        .containsExactlyInAnyOrder("one", "the other");
  }

  @Test
  void cancellationWakesAll() {
    CountDownLatch atWork = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger interrupted = new AtomicInteger();
    List<StageSpec<Box>> stages =
        List.of(
            stage(0, 1, true, (_, _, _) -> {}),
            stage(
                1,
                1,
                true,
                (_, _, _) -> {
                  atWork.countDown();
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                    throw new IllegalStateException(e);
                  }
                }));
    Thread canceller;
    try (Pipeline<Box> pipeline = Pipeline.feeding(timeline.training(), boxes(5), 10, stages)) {
      pipeline.begin(1);
      await(atWork);
      canceller = Thread.ofPlatform().start(pipeline::cancel);
      assertThatThrownBy(pipeline::next)
          .isInstanceOfAny(CancellationException.class, IllegalStateException.class);
    }
    assertThat(interrupted.get()).isEqualTo(1);
    await(() -> !canceller.isAlive());
  }

  @Test
  void waitsHaveDeadlinesThatNameWhoWaitedForWhat() {
    CountDownLatch never = new CountDownLatch(1);
    StageSpec.Work<Box> hangs =
        (_, _, item) -> {
          if (item == 2) {
            await(never);
          }
        };
    List<StageSpec<Box>> first = List.of(stage(0, 1, true, hangs));
    try (Pipeline<Box> pipeline =
        Pipeline.feeding(timeline.training(), boxes(2), 10, first)
            .deadline(Duration.ofMillis(500))) {
      pipeline.begin(7);
      Box _ = pipeline.next();
      Box _ = pipeline.next();
      assertThatThrownBy(pipeline::next)
          .hasMessage("stage train waited 0.5 s in vain at epoch 7, item 2, for stage sample");
    }
    List<StageSpec<Box>> second =
        List.of(stage(0, 1, true, (_, _, _) -> {}), stage(1, 1, true, hangs));
    try (Pipeline<Box> pipeline =
        Pipeline.running(timeline.training(), boxes(9), 10, second)
            .deadline(Duration.ofMillis(500))) {
      pipeline.begin(1);
      assertThatThrownBy(pipeline::end)
          .hasMessageMatching(
              "stage train waited 0.5 s in vain at epoch 1, item 2, for stage fetch"
                  + "|stage sample waited 0.5 s in vain at epoch 1, item 4, for room in the queue"
                  + " after it");
    }
  }

  /** Between epochs nobody hangs, however long it takes until the next. */
  @Test
  void idleStagesHaveNoDeadline() throws InterruptedException {
    List<StageSpec<Box>> stages =
        List.of(stage(0, 1, true, (_, _, _) -> {}), stage(1, 1, false, (_, _, _) -> {}));
    try (Pipeline<Box> pipeline =
        Pipeline.running(timeline.training(), boxes(2), 3, stages)
            .deadline(Duration.ofMillis(500))) {
      pipeline.expect(2);
      pipeline.begin(1);
      pipeline.end();
      Thread.sleep(800);
      pipeline.begin(2);
      pipeline.end();
    }
    WorkerTimes times = timeline.times(0);
    assertThat(times.nanos(Stage.QUEUE, Time.IDLE)).isGreaterThan(800_000_000);
  }

  /** What depends on the epoch before waits for its end; what does not goes on. */
  @Test
  void onlyStagesThatMayWorkAheadOfTheEpoch() {
    AtomicIntegerArray done = new AtomicIntegerArray(3);
    List<StageSpec<Box>> stages =
        IntStream.range(0, 3)
            .mapToObj(s -> stage(s, 9, s < 2, (_, _, _) -> done.incrementAndGet(s)))
            .toList();
    try (Pipeline<Box> pipeline = Pipeline.running(timeline.training(), boxes(5), 4, stages)) {
      pipeline.expect(9);
      for (int epoch = 1; epoch <= 3; epoch++) {
        pipeline.begin(epoch);
        pipeline.end();
        int all = 4 * epoch;
        await(() -> done.get(0) == all + 5 && done.get(1) == all + 5);
        assertThat(done.get(2)).isEqualTo(all);
      }
    }
    assertThat(done.get(2)).isEqualTo(12);
  }

  /** Whoever ends at once ends at the item that all others may have begun. */
  @Test
  void closingFinishesTheEpochsThatWereBegun() {
    for (int repetition = 0; repetition < 20; repetition++) {
      AtomicIntegerArray done = new AtomicIntegerArray(3);
      List<StageSpec<Box>> stages =
          IntStream.range(0, 3)
              .mapToObj(s -> stage(s, 1, s < 2, (_, _, _) -> done.incrementAndGet(s)))
              .toList();
      Pipeline<Box> pipeline = Pipeline.running(timeline.training(), boxes(4), 10, stages);
      pipeline.expect(9);
      pipeline.begin(1);
      pipeline.close();
      assertThat(List.of(done.get(0), done.get(1), done.get(2))).containsExactly(14, 14, 10);
    }
  }

  @Test
  void steadyStateAllocatesNothing() {
    int perEpoch = 500;
    List<StageSpec<Box>> stages =
        IntStream.range(0, FIVE.size())
            .mapToObj(s -> stage(s, 1 + s % 2, s < 2, (box, _, _) -> box.stages = s))
            .toList();
    try (Pipeline<Box> pipeline =
        Pipeline.running(timeline.training(), boxes(6), perEpoch, stages)) {
      pipeline.expect(Integer.MAX_VALUE);
      long bytes =
          AllocatedBytes.least(
              20,
              perEpoch / 2,
              epoch -> {
                pipeline.begin(epoch);
                pipeline.end();
              });
      assertThat(bytes).as("bytes per epoch, less than half one per item").isLessThan(perEpoch / 2);
    }
  }
}
