package dev.heddle.train.pipeline;

import org.jspecify.annotations.Nullable;

/** The thread of one stage: takes slots from one queue, works, and puts them into the next. */
final class StageThread<S> implements Runnable {
  private final StageSpec<S> spec;
  private final Flow flow;
  private final Schedule schedule;
  private final boolean fills;
  private final SlotQueue<S> in;
  private final SlotQueue<S> out;
  private final Waiter waiter;
  private final RecentTimes recent = new RecentTimes();
  private @Nullable StageThread<S> follower;
  private long taken;
  private long done;

  /**
   * A stage.
   *
   * @param fills whether it gives slots their items: the first stage
   */
  StageThread(
      StageSpec<S> spec,
      Flow flow,
      Schedule schedule,
      boolean fills,
      SlotQueue<S> in,
      SlotQueue<S> out) {
    this.spec = spec;
    this.flow = flow;
    this.schedule = schedule;
    this.fills = fills;
    this.in = in;
    this.out = out;
    waiter = new Waiter(flow, spec.lane());
  }

  /** Has this one wait for another at the beginning of each epoch. */
  void beginsEpochsAfter(StageThread<S> other) {
    synchronized (flow) {
      follower = other;
    }
  }

  Thread start() {
    return Thread.ofPlatform().daemon().name("heddle-" + spec.lane().thread()).start(this);
  }

  @Override
  public void run() {
    // What is neither work nor a wait is handling of queues.
    spec.lane().begin(Stage.QUEUE, 0, 0);
    try {
      for (Slot<S> slot = take(); slot != null; slot = take()) {
        long nanos = spec.run(slot, schedule.perEpoch());
        put(slot, nanos);
      }
    } catch (Throwable e) {
      flow.fail(e);
    } finally {
      flow.end();
      spec.lane().end();
    }
  }

  /** The next slot, waited for; none at the end. */
  private @Nullable Slot<S> take() {
    synchronized (flow) {
      try {
        while (!flow.isOver()) {
          boolean more = taken < schedule.limit(spec.ahead());
          if (more && !in.isEmpty() && mayBegin()) {
            Slot<S> slot = fills ? in.pollLast() : in.poll();
            if (fills) {
              slot.becomes(schedule.epochOf(taken), schedule.itemOf(taken));
            }
            taken++;
            return slot;
          }
          if (!more && schedule.isEnding()) {
            return null;
          }
          if (more) {
            String what = fills ? "a free slot" : "the stage before";
            Time time = waiting(fills ? Time.BLOCKED : Time.STARVED);
            waiter.await(time, schedule.epochOf(taken), schedule.itemOf(taken), what);
          } else {
            waiter.await(Time.IDLE, 0, 0, "another epoch");
          }
        }
        return null;
      } finally {
        waiter.done();
      }
    }
  }

  private boolean mayBegin() {
    return follower == null || schedule.itemOf(taken) > 0 || follower.done == taken;
  }

  private void put(Slot<S> slot, long nanos) {
    synchronized (flow) {
      recent.add(nanos);
      try {
        while (out.isFull() && !flow.isOver()) {
          waiter.await(
              waiting(Time.BLOCKED), slot.epoch(), slot.item(), "room in the queue after it");
        }
        out.add(slot);
        done++;
      } finally {
        waiter.done();
      }
    }
  }

  /** How many items it is done with; the caller has the flow's lock. */
  long done() {
    return done;
  }

  /** How long it took for each of its last items; the caller has the flow's lock. */
  RecentTimes recent() {
    return recent;
  }

  /** Between epochs nobody waits for a stage, and it may wait for long. */
  private Time waiting(Time time) {
    return schedule.inEpoch() ? time : Time.IDLE;
  }
}
