package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Traffic;
import java.util.EnumMap;
import java.util.Map;

/** What all workers of a run have sent to each other, by kind. */
public record Sent(Map<Kind, Amount> byKind) {
  /** Payload and messages. */
  public record Amount(long bytes, long messages) {}

  /** Of one worker, who has nobody to send to. */
  static final Sent NOTHING = of(new long[2 * Kind.values().length]);

  /** What all workers of a group have sent so far; all call it. */
  static Sent by(Group group) {
    Traffic traffic = group.traffic();
    Kind[] kinds = Kind.values();
    long[] amounts = new long[2 * kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      Traffic own = traffic.of(kinds[i]);
      amounts[2 * i] = own.bytes();
      amounts[2 * i + 1] = own.messages();
    }
    group.sum(amounts);
    return of(amounts);
  }

  /** From two numbers per kind, in the kinds' order. */
  private static Sent of(long[] amounts) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    Kind[] kinds = Kind.values();
    for (int i = 0; i < kinds.length; i++) {
      all.put(kinds[i], new Amount(amounts[2 * i], amounts[2 * i + 1]));
    }
    return new Sent(all);
  }

  public long bytes() {
    return byKind.values().stream().mapToLong(Amount::bytes).sum();
  }

  public long messages() {
    return byKind.values().stream().mapToLong(Amount::messages).sum();
  }
}
