package dev.heddle.train.pipeline;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What the threads of one worker did when: a lane for each. Whatever of training is timed is
 * recorded here and read from here.
 */
public final class Timeline {
  /** Spans that a lane keeps where nobody wants to see all of them. */
  private static final int FEW = 1 << 10;

  /** Spans that a lane keeps where all of them are wanted: five megabytes. */
  public static final int TRACE = 1 << 17;

  private final List<Lane> lanes = new CopyOnWriteArrayList<>();
  private final Lane training;
  private int capacity;
  private long origin = System.nanoTime();

  /** A timeline that keeps the last spans of each thread, and all totals. */
  public Timeline() {
    this(FEW);
  }

  /**
   * A timeline with room.
   *
   * @param capacity how many spans of each thread are kept
   */
  public Timeline(int capacity) {
    this.capacity = capacity;
    training = lane("train");
  }

  /** The lane of the thread that drives training. */
  public Lane training() {
    return training;
  }

  /** A lane for another thread. */
  public synchronized Lane lane(String thread) {
    Lane lane = new Lane(thread, capacity);
    lanes.add(lane);
    return lane;
  }

  /** Forgets what was recorded, and keeps so many spans of each thread from now on. */
  public synchronized void restart(int spans) {
    capacity = spans;
    lanes.forEach(lane -> lane.restart(spans));
    origin = System.nanoTime();
  }

  /** Forgets what was recorded. */
  public synchronized void restart() {
    restart(capacity);
  }

  /**
   * Times are told from now on: called at all workers when each has just heard from all others, so
   * that their timelines begin at one moment, to the time that a message takes, whatever clocks
   * they have.
   */
  public synchronized void align() {
    origin = System.nanoTime();
  }

  /** What happened so far at this worker. */
  public synchronized WorkerTimes times(int worker) {
    long zero = origin;
    return new WorkerTimes(worker, lanes.stream().map(lane -> ThreadTimes.of(lane, zero)).toList());
  }
}
