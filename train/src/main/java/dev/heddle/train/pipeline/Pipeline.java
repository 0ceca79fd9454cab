package dev.heddle.train.pipeline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stages that work at the same time, each on another item: a ring of preallocated slots goes
 * through them by bounded queues, in order, whose capacities can change meanwhile. Every stage has
 * a thread of its own; the last one may be the caller, who asks for the {@link #next} slot.
 *
 * <p>Epochs are begun one after another. Stages that may work ahead go on into the next one where
 * it is {@linkplain #expect expected}, the others wait until it is begun. When a stage fails, all
 * end, and the caller gets the first cause. Every wait that is not one between epochs has a
 * deadline. Steady state allocates nothing.
 *
 * @param <S> what stages work on
 */
public final class Pipeline<S> implements AutoCloseable {
  private final Flow flow = new Flow();
  private final Schedule schedule;
  private final List<StageSpec<S>> specs;
  private final List<Slot<S>> slots;
  private final boolean feeds;
  private final boolean ahead;
  private final List<SlotQueue<S>> queues = new ArrayList<>();
  private final List<StageThread<S>> stages = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Waiter caller;
  private final String lastStage;
  private @Nullable Slot<S> current;
  private long given;

  private Pipeline(
      Lane caller, List<S> slots, int perEpoch, List<StageSpec<S>> specs, boolean feeds) {
    if (slots.isEmpty() || specs.isEmpty() || perEpoch < 1) {
      throw new IllegalArgumentException("a pipeline needs a slot, a stage and an item an epoch");
    }
    this.feeds = feeds;
    this.specs = List.copyOf(specs);
    this.slots = slots.stream().map(Slot::new).toList();
    this.caller = new Waiter(flow, caller);
    lastStage = "stage " + specs.getLast().lane().thread();
    schedule = new Schedule(perEpoch);
    ahead = !runsInCaller() && specs.stream().anyMatch(StageSpec::ahead);
    int count = slots.size();
    SlotQueue<S> free = new SlotQueue<>(flow, count, count);
    queues.add(free);
    for (int i = 1; i < specs.size(); i++) {
      queues.add(new SlotQueue<>(flow, count, specs.get(i).capacity()));
    }
    if (feeds) {
      queues.add(new SlotQueue<>(flow, count, count));
    }
    for (int i = 0; i < specs.size(); i++) {
      SlotQueue<S> out = queues.get((i + 1) % queues.size());
      stages.add(new StageThread<>(specs.get(i), flow, schedule, i == 0, queues.get(i), out));
    }
  }

  /**
   * A pipeline whose last stage is the caller. With one slot there is nothing to overlap: the
   * stages run in the caller's thread, at the moment when it asks.
   *
   * @param caller the lane of the thread that asks
   * @param perEpoch items of an epoch
   */
  public static <S> Pipeline<S> feeding(
      Lane caller, List<S> slots, int perEpoch, List<StageSpec<S>> stages) {
    return new Pipeline<>(caller, slots, perEpoch, stages, true);
  }

  /**
   * A pipeline of which the caller only begins and ends epochs.
   *
   * @param caller the lane of the thread that does
   * @param perEpoch items of an epoch
   */
  public static <S> Pipeline<S> running(
      Lane caller, List<S> slots, int perEpoch, List<StageSpec<S>> stages) {
    return new Pipeline<>(caller, slots, perEpoch, stages, false);
  }

  /** Another deadline than the usual one, for all waits that are not between epochs. */
  public Pipeline<S> deadline(Duration deadline) {
    flow.deadline(deadline);
    return this;
  }

  /**
   * The first stage begins an epoch when the one after it is done with the epoch before, for what
   * both read is another in each epoch.
   */
  public void epochsApart() {
    if (stages.size() > 1) {
      stages.getFirst().beginsEpochsAfter(stages.get(1));
    }
  }

  /** The queue from which a stage takes its slots: behind the last one's lies the caller's. */
  public SlotQueue<S> queue(int stage) {
    return queues.get(stage);
  }

  /**
   * Has at most so many slots under way from now on, in queues and at stages. The others are kept
   * back where they are free; those that were used least lately first.
   */
  public void inFlight(int most) {
    if (most < 1 || most > slots.size()) {
      throw new IllegalArgumentException(
          "from 1 to " + slots.size() + " slots can be under way, not " + most);
    }
    synchronized (flow) {
      queues.getFirst().reserve(slots.size() - most);
    }
  }

  /**
   * Does something with each slot that is kept back and free: no stage has it, nor gets it, until
   * more may be {@linkplain #inFlight under way}.
   */
  public void forEachKept(Consumer<S> action) {
    synchronized (flow) {
      SlotQueue<S> free = queues.getFirst();
      for (int i = 0; i < free.reserved(); i++) {
        action.accept(free.reserved(i).content());
      }
    }
  }

  /** The nanoseconds that 95 % of a stage's last items did not exceed, waits within included. */
  public long p95Nanos(int stage) {
    synchronized (flow) {
      return stages.get(stage).recent().p95();
    }
  }

  /** Epochs up to this one will follow one another, unless training ends before. */
  public void expect(int lastEpoch) {
    synchronized (flow) {
      schedule.expect(lastEpoch);
    }
  }

  private boolean runsInCaller() {
    return feeds && slots.size() == 1;
  }

  /** Begins an epoch, the one before having been taken to its end. Threads start with the first. */
  public void begin(int epoch) {
    synchronized (flow) {
      flow.check();
      if ((feeds ? given : stages.getLast().done()) < schedule.begun()) {
        throw new IllegalStateException("the epoch before " + epoch + " is not at its end");
      }
      schedule.begin(epoch, ahead);
      if (threads.isEmpty() && !runsInCaller()) {
        slots.reversed().forEach(queues.getFirst()::add);
        stages.forEach(stage -> threads.add(stage.start()));
      }
      flow.notifyAll();
    }
  }

  /** What has the next item of the epoch. What was given before is free to be filled again. */
  public S next() {
    if (!feeds) {
      throw new IllegalStateException("the stages of this pipeline need no caller");
    }
    if (given == schedule.begun()) {
      throw new IllegalStateException("the epoch has no further item");
    }
    long item = given++;
    if (runsInCaller()) {
      return filled(item);
    }
    synchronized (flow) {
      if (current != null) {
        queues.getFirst().add(current);
        current = null;
      }
      SlotQueue<S> ready = queues.getLast();
      try {
        flow.check();
        while (ready.isEmpty()) {
          caller.await(Time.STARVED, schedule.epochOf(item), schedule.itemOf(item), lastStage);
          flow.check();
        }
      } finally {
        caller.done();
      }
      current = ready.poll();
      return current.content();
    }
  }

  private S filled(long item) {
    Slot<S> slot = slots.getFirst();
    slot.becomes(schedule.epochOf(item), schedule.itemOf(item));
    for (int i = 0; i < specs.size(); i++) {
      long _ = specs.get(i).run(slot, schedule.perEpoch());
    }
    return slot.content();
  }

  /** Ends the epoch: waits for its last item, where the caller is not the one who has it. */
  public void end() {
    synchronized (flow) {
      if (!feeds) {
        awaitEpoch();
      }
      schedule.endEpoch();
      flow.notifyAll();
    }
  }

  private void awaitEpoch() {
    StageThread<S> last = stages.getLast();
    try {
      flow.check();
      while (last.done() < schedule.begun()) {
        long item = last.done();
        caller.await(Time.STARVED, schedule.epochOf(item), schedule.itemOf(item), lastStage);
        flow.check();
      }
    } finally {
      caller.done();
    }
  }

  /** Ends all stages as soon as they notice, and leaves items unfinished. */
  public void cancel() {
    synchronized (flow) {
      flow.cancel();
      threads.forEach(Thread::interrupt);
    }
  }

  /**
   * Ends all stages, after what they may have begun: other workers may work on the same items with
   * this one, and would wait for it. How far that is depends on the calls of the caller alone, who
   * makes the same ones at all workers, and not on how far any thread has come.
   */
  @Override
  public void close() {
    synchronized (flow) {
      long released = feeds ? Math.max(0, given - 1) : schedule.begun();
      schedule.endAt(released + slots.size());
      // Whoever took slots from the last queue does not any more: there must be room for all.
      queues.forEach(queue -> queue.capacity(slots.size()));
      queues.getFirst().reserve(0);
    }
    boolean interrupted = !awaitStages();
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException _) {
          interrupted = true;
          cancel();
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all stages have ended or must, and says whether nobody interrupted it. */
  private boolean awaitStages() {
    synchronized (flow) {
      boolean calm = true;
      try {
        for (long start = System.nanoTime(); flow.ended() < threads.size() && !flow.isOver(); ) {
          long left = flow.deadlineNanos() - (System.nanoTime() - start);
          if (left <= 0) {
            break;
          }
          TimeUnit.NANOSECONDS.timedWait(flow, left);
        }
      } catch (InterruptedException _) {
        calm = false;
      }
      if (flow.ended() < threads.size()) {
        cancel();
      }
      return calm;
    }
  }
}
