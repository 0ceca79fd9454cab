package dev.heddle.train.batch;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.AccessOdds;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Which vertices that are not at hand a worker's batches need most often. */
public final class CacheRanking {
  /** No draw of this epoch is one of training, whose epochs are counted from 1. */
  private static final int EPOCH = 0;

  private CacheRanking() {}

  /**
   * The vertices that come most often in an epoch that is sampled for this purpose; all workers
   * call it.
   */
  public static int[] presampled(MacroLoader loader, SeedOrder seeds, Macrobatch into, int most) {
    int[] counts = loader.presample(seeds.epoch(EPOCH), into);
    return best(counts.length, v -> counts[v], most);
  }

  /**
   * The vertices that a batch is most likely to reach, see {@link AccessOdds}; all workers call it.
   *
   * @param train vertices that are learnt from
   * @param probability that one of them is in a batch
   */
  public static int[] probable(
      Group group, AccessOdds odds, int[] train, Partition owners, float probability, int most) {
    double[] own = new double[owners.vertices()];
    for (int worker = 0; worker < group.size(); worker++) {
      int rank = worker;
      int[] seeds = IntStream.of(train).filter(v -> owners.partOf(v) == rank).toArray();
      spread(group, odds, seeds, probability);
      if (worker == group.rank()) {
        Arrays.setAll(own, odds::of);
      }
    }
    boolean alone = group.size() == 1;
    return best(own.length, v -> !alone && owners.partOf(v) == group.rank() ? 0 : own[v], most);
  }

  /**
   * This worker's vertices that a batch is most likely to reach, where workers sample together and
   * each loads its own; all workers call it.
   */
  public static int[] probableOwn(
      Group group, AccessOdds odds, int[] train, Partition owners, float probability, int most) {
    spread(group, odds, train, probability);
    return best(owners.vertices(), v -> owners.partOf(v) == group.rank() ? odds.of(v) : 0, most);
  }

  /**
   * The vertices that most arcs come from; all workers call it.
   *
   * @param ownAlone whether those of others are not wanted; else, of several workers, own ones
   */
  static int[] mostSources(Group group, OwnArcs arcs, boolean ownAlone, int most, Memory scratch) {
    MemorySegment degrees = degrees(group, arcs, scratch);
    Partition owners = arcs.owners();
    boolean alone = group.size() == 1;
    return best(
        owners.vertices(),
        v ->
            alone || (owners.partOf(v) == group.rank()) == ownAlone
                ? degrees.getAtIndex(JAVA_FLOAT, v)
                : 0,
        most);
  }

  /**
   * What each vertex is worth by the arcs that come from it; all workers call it and have the same.
   */
  static MemorySegment degrees(Group group, OwnArcs arcs, Memory memory) {
    int n = arcs.in().rows();
    MemorySegment worth = memory.allocateFloats(n).asSlice(0, (long) n * Float.BYTES);
    for (int v = 0; v < n; v++) {
      if (arcs.owners().partOf(v) == arcs.worker()) {
        for (long arc = arcs.in().offset(v), end = arcs.in().offset(v + 1); arc < end; arc++) {
          int u = arcs.in().id(arc);
          worth.setAtIndex(JAVA_FLOAT, u, worth.getAtIndex(JAVA_FLOAT, u) + 1);
        }
      }
    }
    group.sum(Kind.SAMPLE, worth);
    return worth;
  }

  /**
   * What each vertex is worth by the probability that a batch reaches it; all workers call it and
   * have the same.
   */
  static MemorySegment probabilities(
      Group group, AccessOdds odds, int[] train, float probability, int vertices, Memory memory) {
    spread(group, odds, train, probability);
    MemorySegment worth = memory.allocateFloats(vertices);
    for (int v = 0; v < vertices; v++) {
      worth.setAtIndex(JAVA_FLOAT, v, odds.of(v));
    }
    return worth;
  }

  private static void spread(Group group, AccessOdds odds, int[] seeds, float probability) {
    odds.begin(seeds, probability);
    for (int hop = 0; hop < odds.hops(); hop++) {
      group.sum(Kind.SAMPLE, odds.startHop(hop));
      odds.finishHop();
    }
  }

  /** What a vertex is worth. */
  private interface Worth {
    double of(int vertex);
  }

  /** The vertices that are worth most, of equal ones the first; none that is worth nothing. */
  private static int[] best(int vertices, Worth worth, int most) {
    double[] sorted =
        IntStream.range(0, vertices).mapToDouble(worth::of).filter(w -> w > 0).sorted().toArray();
    if (sorted.length == 0 || most == 0) {
      return new int[0];
    }
    double least = sorted[Math.max(0, sorted.length - most)];
    IntStream above = IntStream.range(0, vertices).filter(v -> worth.of(v) > least);
    IntStream equal = IntStream.range(0, vertices).filter(v -> worth.of(v) == least);
    return IntStream.concat(above, equal).limit(most).toArray();
  }
}
