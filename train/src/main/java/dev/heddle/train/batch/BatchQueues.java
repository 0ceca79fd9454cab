package dev.heddle.train.batch;

import dev.heddle.kernel.Memory;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Pipeline;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.Time;
import dev.heddle.train.settings.Queues;

/**
 * The queues between the stages of one worker's batches, whose lengths stay or follow {@link
 * QueueLength}. Called by the thread that trains; other workers may have other lengths: who has
 * shorter ones waits, and nothing else depends on them.
 */
final class BatchQueues {
  /** Rounds from one decision to the next. */
  private static final int PERIOD = 16;

  private final Pipeline<BatchSlot> pipeline;
  private final int stages;
  private final Queues knob;
  private final QueueLength decision;
  private final Lane lane;
  private final Memory memory;
  private final long mostBytes;
  private final int inHand;
  private int length;
  private int changes;
  private int rounds;
  private long roundBytes;
  private long starvedBefore;
  private long before;
  private long tookLast;

  /**
   * The queues of a pipeline that ends with a caller.
   *
   * @param stages before it: one that loads, or one that samples and one that fetches
   * @param lane of the caller
   * @param memory of which everything that is loaded takes its own
   * @param mostBytes that all rounds may take
   * @param longest that queues may become
   */
  BatchQueues(
      Pipeline<BatchSlot> pipeline,
      int stages,
      Queues knob,
      Lane lane,
      Memory memory,
      long mostBytes,
      int slots,
      int longest) {
    this.pipeline = pipeline;
    this.stages = stages;
    this.knob = knob;
    this.lane = lane;
    this.memory = memory;
    this.mostBytes = mostBytes;
    decision = new QueueLength(longest);
    inHand = slots - longest;
    length = knob instanceof Queues.Adaptive ? 1 : longest;
    if (knob.on()) {
      set();
    }
    before = System.nanoTime();
    tookLast = before;
  }

  /** A round was taken, which takes so many bytes; from time to time lengths are decided anew. */
  void took(long bytes) {
    roundBytes = Math.max(roundBytes, bytes);
    if (!(knob instanceof Queues.Adaptive)) {
      return;
    }
    long now = System.nanoTime();
    tookLast = now;
    if (++rounds < PERIOD) {
      return;
    }
    long starved = lane.nanos(Stage.QUEUE, Time.STARVED);
    long waited = starved - starvedBefore;
    long took = Math.max(1, now - before);
    long produce = 0;
    for (int stage = 0; stage < stages; stage++) {
      produce = Math.max(produce, pipeline.p95Nanos(stage));
    }
    long room =
        Math.min(mostBytes, saturated(length + inHand, memory.available())) - inHand * roundBytes;
    int next =
        decision.next(
            length,
            new QueueLength.Measured(
                produce,
                (took - waited) / rounds,
                (double) waited / took,
                roundBytes,
                Math.max(0, room)));
    if (next != length) {
      boolean shorter = next < length;
      length = next;
      changes++;
      set();
      if (shorter) {
        pipeline.forEachKept(BatchSlot::release);
      }
    }
    rounds = 0;
    starvedBefore = starved;
    before = now;
  }

  /** What rounds may take that are there, and those that there is memory for. */
  private long saturated(int there, long available) {
    long taken = there * roundBytes;
    return available > Long.MAX_VALUE - taken ? Long.MAX_VALUE : available + taken;
  }

  private void set() {
    pipeline.inFlight(length + inHand);
    for (int queue = 1; queue <= stages; queue++) {
      pipeline.queue(queue).capacity(length);
    }
  }

  /** An epoch began: what was between the last one and this counts for nothing. */
  void beginEpoch() {
    long now = System.nanoTime();
    before += now - tookLast;
    tookLast = now;
  }

  QueueReport report() {
    if (!knob.on()) {
      return QueueReport.NONE;
    }
    return new QueueReport(
        length,
        decision.most(),
        changes,
        stages == 1 ? 0 : pipeline.queue(1).highWater(),
        pipeline.queue(stages).highWater());
  }
}
