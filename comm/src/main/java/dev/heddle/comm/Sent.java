package dev.heddle.comm;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** What goes from workers to each other, by kind: counted when it was sent, or planned before. */
public record Sent(Map<Kind, Amount> byKind) {
  /** Of those who have nobody to send to. */
  public static final Sent NOTHING = new Sent(Map.of());

  /** Payload and messages. */
  public record Amount(long bytes, long messages) {
    public static final Amount NONE = new Amount(0, 0);

    public Amount plus(Amount other) {
      return new Amount(bytes + other.bytes, messages + other.messages);
    }

    /** So often as much. */
    public Amount times(long factor) {
      return new Amount(factor * bytes, factor * messages);
    }
  }

  /** Kinds of which nothing goes are there too. */
  public Sent(Map<Kind, Amount> byKind) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      all.put(kind, byKind.getOrDefault(kind, Amount.NONE));
    }
    this.byKind = Collections.unmodifiableMap(all);
  }

  /** What all workers of a group have sent so far; all call it. */
  public static Sent by(Group group) {
    long[] amounts = by(group.traffic()).toLongs();
    group.sum(amounts);
    return of(amounts);
  }

  /** What one worker has sent. */
  public static Sent by(Traffic traffic) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      Traffic own = traffic.of(kind);
      all.put(kind, new Amount(own.bytes(), own.messages()));
    }
    return new Sent(all);
  }

  /** Two numbers per kind, in the kinds' order, as {@link #of(long[])} takes them. */
  public long[] toLongs() {
    Kind[] kinds = Kind.values();
    long[] amounts = new long[2 * kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      amounts[2 * i] = of(kinds[i]).bytes;
      amounts[2 * i + 1] = of(kinds[i]).messages;
    }
    return amounts;
  }

  /** From two numbers per kind, in the kinds' order. */
  public static Sent of(long[] amounts) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    Kind[] kinds = Kind.values();
    for (int i = 0; i < kinds.length; i++) {
      all.put(kinds[i], new Amount(amounts[2 * i], amounts[2 * i + 1]));
    }
    return new Sent(all);
  }

  /** What goes of a kind. */
  public Amount of(Kind kind) {
    return byKind.getOrDefault(kind, Amount.NONE);
  }

  /** This, and something more of a kind. */
  public Sent plus(Kind kind, Amount more) {
    return plus(new Sent(Map.of(kind, more)));
  }

  public Sent plus(Sent other) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      all.put(kind, of(kind).plus(other.of(kind)));
    }
    return new Sent(all);
  }

  /** So often as much. */
  public Sent times(long factor) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    byKind.forEach((kind, amount) -> all.put(kind, amount.times(factor)));
    return new Sent(all);
  }

  /** As much as in a larger or smaller part of the same. */
  public Sent scaled(double factor) {
    Map<Kind, Amount> all = new EnumMap<>(Kind.class);
    byKind.forEach((kind, amount) ->
        all.put(
            kind,
            new Amount(Math.round(factor * amount.bytes), Math.round(factor * amount.messages))));
    return new Sent(all);
  }

  public long bytes() {
    return byKind.values().stream().mapToLong(Amount::bytes).sum();
  }

  public long messages() {
    return byKind.values().stream().mapToLong(Amount::messages).sum();
  }
}
