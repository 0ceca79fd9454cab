package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Measures how long messages take from every worker to every other.
 *
 * <p>A latency is what a small message and its answer take. A rate is how long after a small
 * message a larger one arrives that was sent right behind it: whoever is late to answer does not
 * matter. The larger one is what a link passes in a few milliseconds, so that fast links are
 * measured well and slow ones do not take long. Everything is sent several times. Pairs take turns,
 * so that none is in another's way: who has been measured against measures next.
 */
public final class LinkProbe {
  private static final int SMALL = 1 << 10;
  private static final int MIDDLE = 8 << 10;
  private static final int LARGE = 256 << 10;

  /** Seconds for the largest message. */
  private static final double LONG_ENOUGH = 6e-3;

  private static final int REPEATS = 5;
  private static final Samples NONE = new Samples(new double[0], new double[0]);

  private final Group group;
  private final MemorySegment data;
  private final MemorySegment word;
  private final Samples[] measured;
  private final long tag;

  private LinkProbe(Group group, Memory memory) {
    this.group = group;
    data = memory.allocate(SMALL + LARGE);
    word = memory.allocate(Long.BYTES);
    measured = new Samples[group.size()];
    measured[group.rank()] = NONE;
    tag = group.nextTag();
  }

  /**
   * What was measured to one worker.
   *
   * @param bytes of messages
   * @param seconds that one of that size takes, with the answer that it has come
   */
  @SuppressWarnings("ArrayRecordComponent") // A few numbers, read once.
  public record Samples(double[] bytes, double[] seconds) {}

  /**
   * Measures the links to all workers; that to this one itself has no samples. All workers of a
   * group call it together.
   */
  public static Samples[] measure(Group group) {
    if (group.size() == 1) {
      return new Samples[] {NONE};
    }
    try (Memory memory = group.memory().child()) {
      LinkProbe probe = new LinkProbe(group, memory);
      probe.visit(0);
      return probe.measured;
    }
  }

  /**
   * A walk through all ordered pairs of ranks from one on, each beginning where the last ended:
   * {@code 0→1, (the same from 1), 1→0, 0→2→0, 0→3→0, …}.
   */
  private void visit(int first) {
    for (int other = first + 1; other < group.size(); other++) {
      turn(first, other);
      if (other == first + 1) {
        visit(other);
      }
      turn(other, first);
    }
  }

  private void turn(int from, int to) {
    if (group.rank() == from) {
      measured[to] = new Turn(to).lead();
    } else if (group.rank() == to) {
      new Turn(from).follow();
    }
  }

  /** A worker with whom this one measures a link, as the one who sends or the one who answers. */
  private final class Turn {
    private final Transfer out;
    private final Transfer in;
    private final Transfer secondOut;
    private final Transfer secondIn;

    Turn(int peer) {
      out = group.to(peer, Kind.CONTROL);
      in = group.from(peer, Kind.CONTROL);
      secondOut = group.to(peer, Kind.CONTROL);
      secondIn = group.from(peer, Kind.CONTROL);
    }

    Samples lead() {
      double round = Double.POSITIVE_INFINITY;
      for (int i = 0; i < REPEATS; i++) {
        long began = System.nanoTime();
        send(data, SMALL);
        // When it came, not when this worker had time to look; noise only ever adds to it.
        round = Math.min(round, (in.arrived() - began) * 1e-9);
      }
      double seconds = apart(MIDDLE);
      int large = MIDDLE;
      while (2 * large <= LARGE && 2 * seconds / MIDDLE * large <= LONG_ENOUGH) {
        large *= 2;
      }
      word.set(JAVA_LONG, 0, large);
      send(word, Long.BYTES);
      if (large > MIDDLE) {
        seconds = apart(large);
      }
      return new Samples(
          new double[] {SMALL, SMALL + large}, new double[] {round, round + seconds});
    }

    /** Sends and waits for the answer. */
    private void send(MemorySegment memory, int bytes) {
      out.start(tag, memory, 0, bytes);
      hear();
      out.await();
    }

    private void hear() {
      in.start(tag, word, 0, Long.BYTES);
      in.await();
    }

    /**
     * Seconds between the arrivals of a small message and one of so many bytes behind it: the
     * median, as either may have been seen late.
     */
    private double apart(int bytes) {
      long[] nanos = new long[REPEATS];
      for (int i = 0; i < REPEATS; i++) {
        out.start(tag, data, 0, SMALL);
        secondOut.start(tag, data, SMALL, bytes);
        hear();
        nanos[i] = word.get(JAVA_LONG, 0);
        out.await();
        secondOut.await();
      }
      Arrays.sort(nanos);
      return Math.max(1, nanos[REPEATS / 2]) * 1e-9;
    }

    void follow() {
      for (int i = 0; i < REPEATS; i++) {
        receive(data, SMALL);
        answer(0);
      }
      followPairs(MIDDLE);
      receive(word, Long.BYTES);
      int large = (int) word.get(JAVA_LONG, 0);
      answer(0);
      if (large > MIDDLE) {
        followPairs(large);
      }
    }

    private void followPairs(int bytes) {
      for (int i = 0; i < REPEATS; i++) {
        in.start(tag, data, 0, SMALL);
        secondIn.start(tag, data, SMALL, bytes);
        in.await();
        long first = in.arrived();
        secondIn.await();
        answer(secondIn.arrived() - first);
      }
    }

    private void receive(MemorySegment memory, int bytes) {
      in.start(tag, memory, 0, bytes);
      in.await();
    }

    private void answer(long nanos) {
      word.set(JAVA_LONG, 0, nanos);
      out.start(tag, word, 0, Long.BYTES);
      out.await();
    }
  }
}
