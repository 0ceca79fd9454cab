package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * How often training samples what of a graph, by some epochs of the ordinary sampler: the
 * presampled weights of GSplit (arXiv 2303.13775).
 */
public final class SampledWeights {
  private final Csr in;
  private final MemorySegment times;
  private final int[] loads;

  private SampledWeights(Csr in, Memory memory) {
    this.in = in;
    times = memory.allocateInts(in.arcs());
    loads = new int[in.rows()];
    Arrays.fill(loads, 1);
  }

  /**
   * Samples epochs whose draws are no draws of training.
   *
   * @param train vertices to learn from
   * @param batchSize vertices of a batch
   * @param selfLoops whether a vertex is always among its own sources
   * @param memory what is counted lies there; four bytes an arc
   */
  public static SampledWeights of(
      Csr in,
      int[] train,
      int batchSize,
      SampleSettings settings,
      boolean selfLoops,
      int epochs,
      long seed,
      ThreadTeam team,
      Memory memory) {
    SampledWeights weights = new SampledWeights(in, memory);
    // Sources of the last hop need no rows to be counted.
    var needs = new BlockNeeds(selfLoops, Normalisation.MEAN, true);
    try (Memory scratch = memory.child()) {
      NeighbourSampler sampler =
          NeighbourSampler.of(OwnArcs.whole(in), settings, needs, team, scratch, ArcExchange.NONE);
      List<SampledBatch> batch = List.of(sampler.newBatch(scratch));
      SeedOrder seeds = SeedOrder.of(train, batchSize, seed);
      for (int epoch = 0; epoch < epochs; epoch++) {
        // Epochs of training are counted from 1.
        int batches = seeds.epoch(-epoch).batches();
        for (int b = 0; b < batches; b++) {
          sampler.sample(seeds, b, batch);
          weights.count(batch.getFirst());
        }
      }
    }
    return weights;
  }

  private void count(SampledBatch batch) {
    for (int h = 0; h < batch.hops(); h++) {
      Csr arcs = batch.hop(h).in();
      boolean rows = h < batch.hops() - 1;
      for (int row = 0; row < arcs.rows(); row++) {
        int vertex = batch.ids().at(row);
        long first = arcs.offset(row);
        long end = arcs.offset(row + 1);
        loads[vertex] = Math.addExact(loads[vertex], (int) (end - first));
        for (long arc = first; arc < end; arc++) {
          int source = rows ? batch.ids().at(arcs.id(arc)) : arcs.id(arc);
          if (source != vertex) {
            count(vertex, source);
          }
        }
      }
    }
  }

  /** Arcs of a vertex lie by rising source. */
  private void count(int vertex, int source) {
    long low = in.offset(vertex);
    long high = in.offset(vertex + 1) - 1;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (in.id(middle) < source) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (in.id(low) != source) {
      throw new IllegalStateException("arcs into vertex " + vertex + " are not sorted by source");
    }
    times.setAtIndex(JAVA_INT, low, times.getAtIndex(JAVA_INT, low) + 1);
  }

  /** Ints: how often each arc was sampled, that of a vertex to itself left out. */
  public MemorySegment times() {
    return times;
  }

  /** By vertex: the arcs that it had to aggregate, and 1. */
  public int[] loads() {
    return loads;
  }
}
