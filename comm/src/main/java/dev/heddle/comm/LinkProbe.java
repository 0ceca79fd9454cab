package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Measures how long messages take from this worker to every other, with the answer that they have
 * come: some small and some large, each several times. All workers of a group do it together, in as
 * many rounds as they have others, each sending to one and hearing from one at a time.
 */
public final class LinkProbe {
  private static final int[] BYTES = {1 << 12, 1 << 15, 1 << 17};
  private static final int REPEATS = 4;

  private LinkProbe() {}

  /**
   * What was measured to one worker.
   *
   * @param bytes of messages
   * @param seconds the least that one of that size took; noise only ever adds to it
   */
  @SuppressWarnings("ArrayRecordComponent") // A few numbers, read once.
  public record Samples(double[] bytes, double[] seconds) {}

  /** Measures the links to all workers; that to this one itself has no samples. */
  public static Samples[] measure(Group group) {
    Samples[] all = new Samples[group.size()];
    all[group.rank()] = new Samples(new double[0], new double[0]);
    long dataTag = group.nextTag();
    long answerTag = group.nextTag();
    try (Memory memory = new Memory()) {
      MemorySegment out = memory.allocate(BYTES[BYTES.length - 1]);
      MemorySegment in = memory.allocate(BYTES[BYTES.length - 1]);
      MemorySegment answers = memory.allocate(2);
      for (int round = 1; round < group.size(); round++) {
        int to = (group.rank() + round) % group.size();
        int from = (group.rank() + group.size() - round) % group.size();
        Transfer send = group.to(to, Kind.CONTROL);
        Transfer answer = group.from(to, Kind.CONTROL);
        Transfer receive = group.from(from, Kind.CONTROL);
        Transfer reply = group.to(from, Kind.CONTROL);
        double[] bytes = new double[BYTES.length];
        double[] seconds = new double[BYTES.length];
        for (int i = 0; i < BYTES.length; i++) {
          bytes[i] = BYTES[i];
          seconds[i] = Double.POSITIVE_INFINITY;
          for (int repeat = 0; repeat < REPEATS; repeat++) {
            receive.start(dataTag, in, 0, BYTES[i]);
            answer.start(answerTag, answers, 0, 1);
            long began = System.nanoTime();
            send.start(dataTag, out, 0, BYTES[i]);
            receive.await();
            reply.start(answerTag, answers, 1, 1);
            answer.await();
            // When it came, not when this worker had time to look.
            seconds[i] = Math.min(seconds[i], (answer.arrived() - began) * 1e-9);
            send.await();
            reply.await();
          }
        }
        all[to] = new Samples(bytes, seconds);
      }
    }
    return all;
  }
}
