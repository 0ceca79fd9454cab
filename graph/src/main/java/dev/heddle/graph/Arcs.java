package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;

/**
 * A growing list of arcs in any order, and the way from there to a {@link Csr}.
 *
 * <p>It grows by chunks outside the heap: nothing is ever copied, and its length is a long.
 */
public final class Arcs {
  /** What is made of the list on its way to a {@link Csr}. */
  public enum Option {
    /** Adds the reverse of every arc that is not a self-loop. */
    SYMMETRISE,
    /** Makes one arc of equal ones, after symmetrising; their weights are added. */
    COALESCE,
    /** Leaves self-loops out. */
    DROP_LOOPS
  }

  private static final int CHUNK_BITS = 18;
  private static final int CHUNK = 1 << CHUNK_BITS;

  private final Memory memory;
  private final boolean weighted;
  private MemorySegment[] ends = new MemorySegment[8];
  private MemorySegment[] weights = new MemorySegment[8];
  private long size;

  private Arcs(Memory memory, boolean weighted) {
    this.memory = memory;
    this.weighted = weighted;
  }

  /** An empty list of arcs without weights. */
  public static Arcs unweighted(Memory memory) {
    return new Arcs(memory, false);
  }

  /** An empty list of arcs with weights. */
  public static Arcs weighted(Memory memory) {
    return new Arcs(memory, true);
  }

  public long size() {
    return size;
  }

  /** Adds an arc, of weight 1 if arcs have weights. */
  public void add(int source, int destination) {
    add(source, destination, 1);
  }

  /** Adds an arc; the weight is lost if arcs have none. */
  public void add(int source, int destination, float weight) {
    int chunk = (int) (size >>> CHUNK_BITS);
    long at = size & (CHUNK - 1);
    if (at == 0) {
      grow(chunk);
    }
    ends[chunk].setAtIndex(JAVA_INT, 2 * at, source);
    ends[chunk].setAtIndex(JAVA_INT, 2 * at + 1, destination);
    if (weighted) {
      weights[chunk].setAtIndex(JAVA_FLOAT, at, weight);
    }
    size++;
  }

  private void grow(int chunk) {
    if (chunk == ends.length) {
      ends = Arrays.copyOf(ends, 2 * chunk);
      weights = Arrays.copyOf(weights, 2 * chunk);
    }
    ends[chunk] = memory.allocateInts(2L * CHUNK);
    weights[chunk] = weighted ? memory.allocateFloats(CHUNK) : MemorySegment.NULL;
  }

  /**
   * The arcs by destination, sources ascending, equal arcs in the order of the list. Takes time
   * linear in arcs and vertices.
   *
   * @param vertices all ends of arcs are less than this
   */
  public Csr toCsr(Memory target, int vertices, Set<Option> options) {
    // Sorting by source first makes the sources ascend in the second sort, which is stable.
    try (Memory scratch = memory.child()) {
      Csr bySource = bySource(scratch, vertices, options);
      if (!options.contains(Option.COALESCE)) {
        return Transpose.of(target, bySource);
      }
      return Coalesce.of(target, Transpose.of(scratch, bySource));
    }
  }

  private Csr bySource(Memory scratch, int vertices, Set<Option> options) {
    boolean mirror = options.contains(Option.SYMMETRISE);
    boolean dropLoops = options.contains(Option.DROP_LOOPS);
    CsrBuilder builder = new CsrBuilder(scratch, vertices, vertices);
    for (long i = 0; i < size; i++) {
      int source = Objects.checkIndex(source(i), vertices);
      int destination = Objects.checkIndex(destination(i), vertices);
      if (source != destination) {
        builder.count(source);
        if (mirror) {
          builder.count(destination);
        }
      } else if (!dropLoops) {
        builder.count(source);
      }
    }
    builder.counted(weighted);
    for (long i = 0; i < size; i++) {
      int source = source(i);
      int destination = destination(i);
      if (source != destination) {
        builder.put(source, destination, weight(i));
        if (mirror) {
          builder.put(destination, source, weight(i));
        }
      } else if (!dropLoops) {
        builder.put(source, source, weight(i));
      }
    }
    return builder.build();
  }

  private int source(long i) {
    return ends[(int) (i >>> CHUNK_BITS)].getAtIndex(JAVA_INT, 2 * (i & (CHUNK - 1)));
  }

  private int destination(long i) {
    return ends[(int) (i >>> CHUNK_BITS)].getAtIndex(JAVA_INT, 2 * (i & (CHUNK - 1)) + 1);
  }

  private float weight(long i) {
    return weighted ? weights[(int) (i >>> CHUNK_BITS)].getAtIndex(JAVA_FLOAT, i & (CHUNK - 1)) : 1;
  }
}
