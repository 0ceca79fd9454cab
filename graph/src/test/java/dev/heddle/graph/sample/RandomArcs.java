package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Arcs drawn for tests: with hubs, repetitions, lonely vertices and, if wanted, loops. */
final class RandomArcs {
  private RandomArcs() {}

  /** {@code -Dheddle.seed=n} repeats a run, else every run has its own. */
  static SplittableRandom random(Object test) {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println(test.getClass().getSimpleName() + " -Dheddle.seed=" + seed);
    return new SplittableRandom(seed);
  }

  static Csr of(Memory memory, SplittableRandom random, int vertices, boolean loops) {
    int[][] columns = new int[vertices][];
    for (int v = 0; v < vertices; v++) {
      int most = random.nextInt(16) == 0 ? Math.min(2 * vertices, 400) : 8;
      int own = v;
      columns[v] =
          random
              .ints(random.nextInt(most), 0, vertices)
              .filter(u -> loops || u != own)
              .sorted()
              .toArray();
    }
    return Csr.of(memory, vertices, columns);
  }

  static Csr weighted(Memory memory, SplittableRandom random, Csr arcs) {
    MemorySegment weights = memory.allocateFloats(arcs.arcs());
    for (long arc = 0; arc < arcs.arcs(); arc++) {
      float weight = random.nextInt(10) == 0 ? 0 : (float) random.nextDouble(0.1, 4);
      weights.setAtIndex(JAVA_FLOAT, arc, weight);
    }
    return arcs.withWeights(weights);
  }

  /** Every vertex has in-arcs, and some are the source of many. */
  static Csr skewed(Memory memory, SplittableRandom random, int vertices) {
    int[][] columns = new int[vertices][];
    for (int v = 0; v < vertices; v++) {
      int own = v;
      columns[v] =
          IntStream.generate(() -> (int) (vertices * Math.pow(random.nextDouble(), 2)))
              .filter(u -> u != own)
              .limit(2 + random.nextInt(9))
              .distinct()
              .sorted()
              .toArray();
    }
    return Csr.of(memory, vertices, columns);
  }

  /** A vertex 0 with arcs from all others, which have none. */
  static Csr star(Memory memory, int degree) {
    int[][] columns = new int[degree + 1][0];
    columns[0] = IntStream.rangeClosed(1, degree).toArray();
    return Csr.of(memory, degree + 1, columns);
  }

  static int[] seeds(SplittableRandom random, int vertices, int count) {
    int[] all = IntStream.range(0, vertices).toArray();
    int[] seeds = new int[Math.min(count, vertices)];
    for (int i = 0; i < seeds.length; i++) {
      int j = random.nextInt(i, vertices);
      seeds[i] = all[j];
      all[j] = all[i];
    }
    return seeds;
  }
}
