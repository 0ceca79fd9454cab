package dev.heddle.train.plan;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** Bytes of memory that one worker takes for training, by what they are for. */
public record MemoryNeed(Map<Purpose, Long> byPurpose) {
  public static final MemoryNeed NOTHING = new MemoryNeed(Map.of());

  /** Purposes for which nothing is taken are there too. */
  public MemoryNeed(Map<Purpose, Long> byPurpose) {
    Map<Purpose, Long> all = new EnumMap<>(Purpose.class);
    for (Purpose purpose : Purpose.values()) {
      all.put(purpose, byPurpose.getOrDefault(purpose, 0L));
    }
    this.byPurpose = Collections.unmodifiableMap(all);
  }

  /** This, and something more. */
  public MemoryNeed plus(Purpose purpose, long bytes) {
    Map<Purpose, Long> all = new EnumMap<>(byPurpose);
    all.merge(purpose, bytes, Long::sum);
    return new MemoryNeed(all);
  }

  public MemoryNeed plus(MemoryNeed other) {
    Map<Purpose, Long> all = new EnumMap<>(byPurpose);
    other.byPurpose.forEach((purpose, bytes) -> all.merge(purpose, bytes, Long::sum));
    return new MemoryNeed(all);
  }

  public long of(Purpose purpose) {
    return byPurpose.getOrDefault(purpose, 0L);
  }

  public long bytes() {
    return byPurpose.values().stream().mapToLong(Long::longValue).sum();
  }

  /** What most of it is for. */
  public Purpose most() {
    Purpose most = Purpose.GRAPH;
    for (Purpose purpose : Purpose.values()) {
      most = of(purpose) > of(most) ? purpose : most;
    }
    return most;
  }
}
