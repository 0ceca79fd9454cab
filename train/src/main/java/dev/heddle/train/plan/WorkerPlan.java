package dev.heddle.train.plan;

import dev.heddle.comm.Sent;
import java.util.Arrays;

/**
 * What one worker takes and sends.
 *
 * @param once sent in the whole run, for what stays as it is; agreements at the start aside
 * @param epoch sent in every epoch of training
 * @param evaluation sent in every evaluation
 */
public record WorkerPlan(MemoryNeed memory, Sent once, Sent epoch, Sent evaluation) {
  private static final int PURPOSES = Purpose.values().length;
  private static final int LENGTH = PURPOSES + 3 * Sent.NOTHING.toLongs().length;

  /** How many numbers {@link #toLongs} are. */
  static int length() {
    return LENGTH;
  }

  /** Writes all of it as numbers, for others to be told. */
  void toLongs(long[] all, int first) {
    int at = first;
    for (Purpose purpose : Purpose.values()) {
      all[at++] = memory.of(purpose);
    }
    for (Sent sent : new Sent[] {once, epoch, evaluation}) {
      for (long number : sent.toLongs()) {
        all[at++] = number;
      }
    }
  }

  /** From what {@link #toLongs} wrote. */
  static WorkerPlan of(long[] all, int first) {
    MemoryNeed memory = MemoryNeed.NOTHING;
    int at = first;
    for (Purpose purpose : Purpose.values()) {
      memory = memory.plus(purpose, all[at++]);
    }
    Sent[] sent = new Sent[3];
    int each = (LENGTH - PURPOSES) / sent.length;
    for (int i = 0; i < sent.length; i++) {
      sent[i] = Sent.of(Arrays.copyOfRange(all, at, at + each));
      at += each;
    }
    return new WorkerPlan(memory, sent[0], sent[1], sent[2]);
  }
}
