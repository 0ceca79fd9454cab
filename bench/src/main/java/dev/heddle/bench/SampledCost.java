package dev.heddle.bench;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.ArcExchange;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What batches that workers compute together cost under a partition, by sampling some epochs.
 *
 * @param imbalance sampled arcs of the part that has most, over the mean, of all batches
 * @param ofBatch this within a batch, in the mean
 * @param crossing sampled arcs between parts, of all
 * @param rows that travel in a batch, over rows there are below the seeds
 */
record SampledCost(double imbalance, double ofBatch, double crossing, double rows) {
  private static final int EPOCHS = 3;

  static SampledCost of(
      Graph graph, int[] train, int batchSize, SampleSettings sampling, Partition owners) {
    int parts = owners.parts();
    long[] work = new long[parts];
    long crossing = 0;
    long travelling = 0;
    long rows = 0;
    double imbalances = 0;
    int batches = 0;
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      var needs = new BlockNeeds(false, Normalisation.MEAN, false);
      NeighbourSampler sampler =
          NeighbourSampler.of(
              OwnArcs.whole(graph.in()), sampling, needs, team, memory, ArcExchange.NONE);
      SampledBatch batch = sampler.newBatch(memory);
      // Draws that the weights have not seen.
      SeedOrder seeds = SeedOrder.of(train, batchSize, 9);
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        for (int b = 0; b < seeds.epoch(epoch).batches(); b++) {
          sampler.sample(seeds, b, List.of(batch));
          long[] here = new long[parts];
          for (int h = 0; h < batch.hops(); h++) {
            Csr in = batch.hop(h).in();
            Set<Long> asked = new HashSet<>();
            for (int row = 0; row < in.rows(); row++) {
              int owner = owners.partOf(batch.ids().at(row));
              here[owner] += in.degree(row);
              for (long arc = in.offset(row); arc < in.offset(row + 1); arc++) {
                if (owners.partOf(batch.ids().at(in.id(arc))) != owner) {
                  crossing++;
                  asked.add((long) in.id(arc) * parts + owner);
                }
              }
            }
            travelling += asked.size();
            rows += batch.rows(h + 1);
          }
          for (int p = 0; p < parts; p++) {
            work[p] += here[p];
          }
          imbalances += imbalance(here);
          batches++;
        }
      }
    }
    double all = Arrays.stream(work).sum();
    return new SampledCost(
        imbalance(work), imbalances / batches, crossing / all, (double) travelling / rows);
  }

  private static double imbalance(long[] work) {
    long all = Arrays.stream(work).sum();
    return all == 0 ? 1 : (double) work.length * Arrays.stream(work).max().orElse(0) / all;
  }
}
