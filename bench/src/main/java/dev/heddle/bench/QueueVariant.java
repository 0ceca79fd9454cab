package dev.heddle.bench;

import java.util.ArrayList;
import java.util.List;

/** A way for batches and gradients to travel while others are computed, as flags of training. */
record QueueVariant(String name, List<String> flags) {
  /**
   * All of them; a plus adds to what is above. The first does everything in turn, the second is
   * what other systems do: load the next batch while this one is trained on.
   *
   * @param cacheBytes of a cache; empty where there is nothing to keep
   * @param several whether there are several workers
   */
  static List<QueueVariant> all(String cacheBytes, boolean several) {
    List<QueueVariant> all = new ArrayList<>();
    all.add(of("sequential", "--macrobatch 1"));
    all.add(of("ahead", "--macrobatch 1 --ahead"));
    String flags = "--macrobatch 1 --queues adaptive";
    all.add(of("queues", flags));
    if (!cacheBytes.isEmpty()) {
      flags += " --cache-bytes " + cacheBytes;
      all.add(of("+ cache", flags));
    }
    flags += " --sync racom --staleness 4";
    all.add(of("+ racom", flags));
    if (several) {
      all.add(of("+ compared", flags + " --consistency adaptive"));
      all.add(of("+ 8-bit gradients", flags + " --gradient-codec bits8"));
    }
    return all;
  }

  private static QueueVariant of(String name, String flags) {
    return new QueueVariant(name, List.of(flags.split(" ", -1)));
  }
}
