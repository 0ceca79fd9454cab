package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * The vertices of an epoch's cache. Each is in it by a coin of its own, with probability {@code π_u
 * = min(1, c·p_u)} (Poisson sampling): what one stands for is then exactly {@code 1/π_u}, which of
 * a cache of fixed size nobody can say. The coin is keyed by epoch and vertex, so that all workers
 * have the same cache, without a word, and a run that goes on has it again.
 */
public final class CachedVertices {
  /**
   * Rarer vertices than this part of the mean are not made rarer: they would stand for too many.
   */
  private static final double RAREST = 0.01;

  private static final int STEPS = 60;

  private final MemorySegment odds;
  private final int vertices;
  private final long seed;
  private MemorySegment times;

  /**
   * Caches of about so many vertices.
   *
   * @param worth floats: what each vertex is worth, not negative. Rewritten: {@code π} of each
   * @param size how many are expected, at most all
   */
  public CachedVertices(MemorySegment worth, int vertices, double size, long seed) {
    odds = worth;
    this.vertices = vertices;
    this.seed = seed;
    times = MemorySegment.NULL;
    double sum = 0;
    for (int v = 0; v < vertices; v++) {
      sum += worth(v);
    }
    double least = RAREST * sum / Math.max(1, vertices);
    for (int v = 0; v < vertices; v++) {
      odds.setAtIndex(JAVA_FLOAT, v, (float) Math.max(least, worth(v)));
    }
    double factor = factor(Math.min(size, vertices));
    for (int v = 0; v < vertices; v++) {
      odds.setAtIndex(JAVA_FLOAT, v, (float) Math.min(1, factor * worth(v)));
    }
  }

  private double worth(int vertex) {
    return odds.getAtIndex(JAVA_FLOAT, vertex);
  }

  /** The factor for which so many are expected: bisection, since none can be in it twice. */
  private double factor(double size) {
    double low = 0;
    double high = 1;
    while (expected(high) < size && high < Float.MAX_VALUE) {
      high *= 4;
    }
    for (int i = 0; i < STEPS; i++) {
      double middle = (low + high) / 2;
      if (expected(middle) < size) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private double expected(double factor) {
    double sum = 0;
    for (int v = 0; v < vertices; v++) {
      sum += Math.min(1, factor * worth(v));
    }
    return sum;
  }

  /** The probability that a vertex is cached. */
  public float odds(int vertex) {
    return odds.getAtIndex(JAVA_FLOAT, vertex);
  }

  /** Memory for a set: a float for each vertex. */
  public MemorySegment newSet(Memory memory) {
    return memory.allocateFloats(vertices);
  }

  /**
   * Draws the set of an epoch, in any thread.
   *
   * @param set takes, for each vertex, how many it stands for; 0 where it is not cached
   * @param list takes ints: those that are
   * @return how many
   */
  public int draw(long epoch, MemorySegment set, GrowingBuffer list) {
    long key = Draws.key(Draws.Domain.CACHE, seed, epoch, 0, 0);
    int count = 0;
    for (int v = 0; v < vertices; v++) {
      boolean cached = Draws.unitDouble(Draws.at(key, v)) < odds(v);
      set.setAtIndex(JAVA_FLOAT, v, cached ? 1 / odds(v) : 0);
      if (cached) {
        long bytes = (long) count * Integer.BYTES;
        list.require(bytes + Integer.BYTES, bytes);
        list.segment().setAtIndex(JAVA_INT, count++, v);
      }
    }
    return count;
  }

  /** From now on, these are the cached vertices that samples are drawn from. */
  public void use(MemorySegment set) {
    times = set;
  }

  boolean has(int vertex) {
    return times(vertex) > 0;
  }

  /** How many a vertex stands for; 0 where it is not cached. */
  float times(int vertex) {
    return times.getAtIndex(JAVA_FLOAT, vertex);
  }
}
