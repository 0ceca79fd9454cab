package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes sampled arcs by source, all threads at once: a counting sort in which each of a few
 * stretches of destinations counts for itself. Stretches depend on the arcs alone; destinations of
 * a source ascend.
 */
final class ArcTransposer {
  private static final int MOST_STRETCHES = 8;
  private static final int STRETCH_ARCS = 1 << 15;
  private static final int BLOCK = 4096;

  private final ThreadTeam team;
  private final GrowingBuffer counts;
  private final int[] bounds = new int[MOST_STRETCHES + 1];
  private final Task countTask = this::count;
  private final Task sumTask = this::sum;
  private final Task offsetTask = this::offsets;
  private final Task idTask = this::placeIds;
  private final Task weightedTask = this::placeWeighted;
  private final Task twinTask = this::placeTwins;
  private final Task weighTask = this::weigh;

  private int stretches;
  private long[] sums = new long[16];
  private Csr in;
  private Csr out;
  private @Nullable MemorySegment inArcs;

  ArcTransposer(ThreadTeam team, Memory memory) {
    this.team = team;
    counts = new GrowingBuffer(memory);
    in = Csr.of(0, 0, counts.segment(), counts.segment());
    out = in;
  }

  /**
   * Writes {@code to} as the transpose of {@code from}: offsets of all of {@code from}'s columns,
   * ids, weights where both have them.
   *
   * @param places longs that take the index in {@code from} of each arc of {@code to}, or null
   */
  void run(Csr from, Csr to, @Nullable MemorySegment places) {
    in = from;
    out = to;
    inArcs = places;
    int arcs = Math.toIntExact(from.arcs());
    stretches = Math.clamp(arcs / STRETCH_ARCS, 1, MOST_STRETCHES);
    for (int s = 1; s < stretches; s++) {
      bounds[s] = firstFrom((long) arcs * s / stretches);
    }
    bounds[stretches] = from.rows();
    counts.require((long) stretches * from.cols() * Integer.BYTES);
    team.run(stretches, countTask);
    int blocks = (from.cols() + BLOCK - 1) / BLOCK;
    if (sums.length < blocks) {
      sums = Arrays.copyOf(sums, blocks + blocks / 4);
    }
    team.run(blocks, sumTask);
    long next = 0;
    for (int block = 0; block < blocks; block++) {
      long count = sums[block];
      sums[block] = next;
      next += count;
    }
    team.run(blocks, offsetTask);
    to.offsets().setAtIndex(JAVA_LONG, from.cols(), next);
    boolean weighted = from.weights() != null && to.weights() != null;
    team.run(stretches, places != null ? twinTask : weighted ? weightedTask : idTask);
    if (places != null && weighted) {
      team.run((arcs + BLOCK - 1) / BLOCK, weighTask);
    }
    to.rewritten(from.cols(), from.rows());
  }

  /** The first row that begins at an arc or after it. */
  private int firstFrom(long arc) {
    int low = 0;
    int high = in.rows();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (in.offset(middle) < arc) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void count(int stretch) {
    MemorySegment c = counts.segment();
    long base = (long) stretch * in.cols();
    for (long i = base, end = base + in.cols(); i < end; i++) {
      c.setAtIndex(JAVA_INT, i, 0);
    }
    long end = in.offset(bounds[stretch + 1]);
    for (long arc = in.offset(bounds[stretch]); arc < end; arc++) {
      long at = base + in.id(arc);
      c.setAtIndex(JAVA_INT, at, c.getAtIndex(JAVA_INT, at) + 1);
    }
  }

  private void sum(int block) {
    long sum = 0;
    int end = Math.min(in.cols(), (block + 1) * BLOCK);
    for (int s = 0; s < stretches; s++) {
      long base = (long) s * in.cols();
      for (int source = block * BLOCK; source < end; source++) {
        sum += counts.segment().getAtIndex(JAVA_INT, base + source);
      }
    }
    sums[block] = sum;
  }

  /** Where a source's arcs begin, and where each stretch puts its first. */
  private void offsets(int block) {
    MemorySegment c = counts.segment();
    long next = sums[block];
    int end = Math.min(in.cols(), (block + 1) * BLOCK);
    for (int source = block * BLOCK; source < end; source++) {
      out.offsets().setAtIndex(JAVA_LONG, source, next);
      for (int s = 0; s < stretches; s++) {
        long at = (long) s * in.cols() + source;
        int count = c.getAtIndex(JAVA_INT, at);
        c.setAtIndex(JAVA_INT, at, (int) next);
        next += count;
      }
    }
  }

  // Three copies of one loop instead of conditions in it: where C2 met a condition that held for
  // some samples and not for others, it compiled the loop anew for each in turn, for ever.

  private void placeIds(int stretch) {
    MemorySegment c = counts.segment();
    long base = (long) stretch * in.cols();
    for (int row = bounds[stretch]; row < bounds[stretch + 1]; row++) {
      for (long arc = in.offset(row), end = in.offset(row + 1); arc < end; arc++) {
        long at = base + in.id(arc);
        int to = c.getAtIndex(JAVA_INT, at);
        c.setAtIndex(JAVA_INT, at, to + 1);
        out.ids().setAtIndex(JAVA_INT, to, row);
      }
    }
  }

  private void placeWeighted(int stretch) {
    MemorySegment c = counts.segment();
    MemorySegment from = Objects.requireNonNull(in.weights());
    MemorySegment weights = Objects.requireNonNull(out.weights());
    long base = (long) stretch * in.cols();
    for (int row = bounds[stretch]; row < bounds[stretch + 1]; row++) {
      for (long arc = in.offset(row), end = in.offset(row + 1); arc < end; arc++) {
        long at = base + in.id(arc);
        int to = c.getAtIndex(JAVA_INT, at);
        c.setAtIndex(JAVA_INT, at, to + 1);
        out.ids().setAtIndex(JAVA_INT, to, row);
        weights.setAtIndex(JAVA_FLOAT, to, from.getAtIndex(JAVA_FLOAT, arc));
      }
    }
  }

  private void placeTwins(int stretch) {
    MemorySegment c = counts.segment();
    MemorySegment places = Objects.requireNonNull(inArcs);
    long base = (long) stretch * in.cols();
    for (int row = bounds[stretch]; row < bounds[stretch + 1]; row++) {
      for (long arc = in.offset(row), end = in.offset(row + 1); arc < end; arc++) {
        long at = base + in.id(arc);
        int to = c.getAtIndex(JAVA_INT, at);
        c.setAtIndex(JAVA_INT, at, to + 1);
        out.ids().setAtIndex(JAVA_INT, to, row);
        places.setAtIndex(JAVA_LONG, to, arc);
      }
    }
  }

  /** Weights of arcs whose places are known. */
  private void weigh(int block) {
    MemorySegment places = Objects.requireNonNull(inArcs);
    MemorySegment from = Objects.requireNonNull(in.weights());
    MemorySegment weights = Objects.requireNonNull(out.weights());
    long end = Math.min(in.arcs(), (block + 1L) * BLOCK);
    for (long to = (long) block * BLOCK; to < end; to++) {
      float weight = from.getAtIndex(JAVA_FLOAT, places.getAtIndex(JAVA_LONG, to));
      weights.setAtIndex(JAVA_FLOAT, to, weight);
    }
  }
}
