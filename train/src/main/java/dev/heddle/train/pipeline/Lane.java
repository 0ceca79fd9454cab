package dev.heddle.train.pipeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one thread did when: spans of time, each begun and ended within the one around it. Every
 * moment counts for the innermost span, and for idle outside of all, so that totals add up to the
 * lane's whole life. Recording takes two readings of the clock a span and allocates nothing; where
 * there are more spans than there is room for, the newest are kept, the others counted, and totals
 * are exact all the same.
 *
 * <p>One thread at a time records; any may read. The lock is for readers: the recording thread has
 * it to itself otherwise.
 */
public final class Lane {
  static final int TIMES = Time.values().length;
  static final int TOTALS = Stage.values().length * TIMES;

  private static final int DEPTH = 16;

  /** Numbers of a span in the ring: what it is, epoch and item, begin, end, waited. */
  private static final int FIELDS = 5;

  private final String thread;

  // The spans that are open, outermost first, above a bottom that never ends.
  private final Stage[] stages = new Stage[DEPTH];
  private final Time[] times = new Time[DEPTH];
  private final int[] epochs = new int[DEPTH];
  private final int[] items = new int[DEPTH];
  private final long[] begins = new long[DEPTH];
  private final long[] waits = new long[DEPTH];
  private int depth;
  private long since = System.nanoTime();

  private final long[] totals = new long[TOTALS];
  private long[] ring;
  private long written;

  /**
   * A lane of a timeline.
   *
   * @param capacity how many spans are kept
   */
  Lane(String thread, int capacity) {
    this.thread = thread;
    ring = new long[FIELDS * capacity];
    stages[0] = Stage.QUEUE;
    times[0] = Time.IDLE;
  }

  /** The name of the thread, as others call it. */
  public String thread() {
    return thread;
  }

  /** Begins to work on an item of an epoch. */
  public void begin(Stage stage, int epoch, int item) {
    begin(stage, Time.BUSY, epoch, item);
  }

  /** Begins to work on the item that the thread works on already. */
  public synchronized void begin(Stage stage) {
    begin(stage, Time.BUSY, epochs[depth], items[depth]);
  }

  /** Begins to wait for others, as a part of what the thread does. */
  public synchronized void beginWait() {
    begin(stages[depth], Time.STARVED, epochs[depth], items[depth]);
  }

  /** Begins a span of any kind. */
  public synchronized void begin(Stage stage, Time time, int epoch, int item) {
    if (depth + 1 == DEPTH) {
      throw new IllegalStateException(
          "thread " + thread + " began " + DEPTH + " spans and ended none");
    }
    long now = System.nanoTime();
    count(now);
    depth++;
    stages[depth] = stage;
    times[depth] = time;
    epochs[depth] = epoch;
    items[depth] = item;
    begins[depth] = now;
    waits[depth] = 0;
  }

  /** Ends the innermost span; returns its length in nanoseconds. */
  public synchronized long end() {
    if (depth == 0) {
      throw new IllegalStateException("thread " + thread + " has no span to end");
    }
    long now = System.nanoTime();
    count(now);
    long length = now - begins[depth];
    keep(now);
    depth--;
    waits[depth] += times[depth + 1] == Time.BUSY ? waits[depth + 1] : length;
    return length;
  }

  /**
   * Says that for so long of the innermost span, until now, the thread waited for others: for what
   * is timed where messages are ({@code dev.heddle.comm}), which knows nothing of lanes.
   */
  public synchronized void waited(long nanos) {
    count(System.nanoTime());
    totals[index(stages[depth], times[depth])] -= nanos;
    totals[index(stages[depth], Time.STARVED)] += nanos;
    waits[depth] += nanos;
  }

  private void count(long now) {
    totals[index(stages[depth], times[depth])] += now - since;
    since = now;
  }

  private void keep(long now) {
    if (ring.length > 0) {
      int at = (int) (written % (ring.length / FIELDS)) * FIELDS;
      ring[at] = index(stages[depth], times[depth]);
      ring[at + 1] = (long) epochs[depth] << Integer.SIZE | items[depth];
      ring[at + 2] = begins[depth];
      ring[at + 3] = now;
      ring[at + 4] = waits[depth];
    }
    written++;
  }

  /** The place of a total. */
  static int index(Stage stage, Time time) {
    return stage.number() * TIMES + time.number();
  }

  /** Nanoseconds so far, by {@link #index}, the spans that are open included. */
  synchronized long[] totals() {
    count(System.nanoTime());
    return totals.clone();
  }

  /** Nanoseconds of a stage so far, of all kinds. */
  public synchronized long nanos(Stage stage) {
    count(System.nanoTime());
    long sum = 0;
    for (int i = 0; i < TIMES; i++) {
      sum += totals[stage.number() * TIMES + i];
    }
    return sum;
  }

  /** Nanoseconds of a stage so far that were of a kind. */
  public synchronized long nanos(Stage stage, Time time) {
    count(System.nanoTime());
    return totals[index(stage, time)];
  }

  /** How many spans have ended. */
  public synchronized long count() {
    return written;
  }

  /** How many spans there was no room for. */
  synchronized long overflowed() {
    return Math.max(0, written - ring.length / FIELDS);
  }

  /**
   * The spans that were kept, in the order in which they ended, in nanoseconds from an origin;
   * those that are open as if they ended now.
   */
  synchronized List<Span> spans(long origin) {
    List<Span> spans = new ArrayList<>();
    for (long i = overflowed(); i < written; i++) {
      int at = (int) (i % (ring.length / FIELDS)) * FIELDS;
      spans.add(
          new Span(
              Stage.numbered((int) ring[at] / TIMES),
              Time.numbered((int) ring[at] % TIMES),
              (int) (ring[at + 1] >> Integer.SIZE),
              (int) ring[at + 1],
              ring[at + 2] - origin,
              ring[at + 3] - origin,
              ring[at + 4]));
    }
    long now = System.nanoTime();
    long waited = 0;
    for (int d = depth; d > 0; d--) {
      waited += waits[d];
      spans.add(
          new Span(
              stages[d], times[d], epochs[d], items[d], begins[d] - origin, now - origin, waited));
      waited = times[d] == Time.BUSY ? waited : now - begins[d];
    }
    return spans;
  }

  /** Forgets what was recorded, and has room for so many spans from now on. */
  synchronized void restart(int capacity) {
    ring = ring.length == FIELDS * capacity ? ring : new long[FIELDS * capacity];
    written = 0;
    Arrays.fill(totals, 0);
    since = System.nanoTime();
  }

  @Override
  public String toString() {
    return "Lane[" + thread + "]";
  }
}
