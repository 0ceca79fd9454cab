package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SelfLoops;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** T-B8: rows aggregated beforehand are sums over all neighbours, at one worker and at several. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AggregatedFeaturesTest {
  private static final int WORKERS = 3;

  @ParameterizedTest
  @CsvSource({"SUM, false", "MEAN, false", "SYMMETRIC, true", "SYMMETRIC, false", "MEAN, true"})
  void areSumsOverAllNeighbours(Normalisation normalisation, boolean loops) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false);
        Memory memory = new Memory();
        ThreadTeam threads = ThreadTeam.of(1)) {
      Csr in = loops ? SelfLoops.added(memory, graph.in()) : graph.in();
      Matrix features = ((DenseFeatures) TrainableGraph.features(graph)).matrix();
      LocalGraph whole = LocalGraph.of(graph, Worker.alone(graph, threads, memory), Knobs.DEFAULT);
      Matrix alone = whole.aggregated(normalisation, loops);
      for (int v = 0; v < graph.vertices(); v++) {
        assertSum(alone, v, in, v, features, normalisation);
      }
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), WORKERS);
      LocalWorkers.run(
          WORKERS,
          GroupSettings.DEFAULT,
          group -> {
            try (Memory own = new Memory();
                ThreadTeam one = ThreadTeam.of(1);
                LocalGraph share =
                    LocalGraph.of(graph, new Worker(group, owners, one, own), Knobs.DEFAULT)) {
              Matrix part = share.aggregated(normalisation, loops);
              for (int row = 0; row < share.part().vertices(); row++) {
                assertSum(part, row, in, share.part().vertex(row), features, normalisation);
              }
            }
          });
    }
  }

  private static void assertSum(
      Matrix is, int row, Csr in, int vertex, Matrix features, Normalisation normalisation) {
    for (int c = 0; c < features.cols(); c++) {
      double sum = 0;
      double size = 1;
      for (long arc = in.offset(vertex); arc < in.offset(vertex + 1); arc++) {
        int source = in.id(arc);
        double term =
            switch (normalisation) {
              case SUM -> features.get(source, c);
              case MEAN -> (double) features.get(source, c) / in.degree(vertex);
              case SYMMETRIC -> {
                double product = (double) in.degree(source) * in.degree(vertex);
                // Who has no in-arcs counts for nothing.
                yield product == 0 ? 0 : features.get(source, c) / Math.sqrt(product);
              }
            };
        sum += term;
        size += Math.abs(term);
      }
      assertThat((double) is.get(row, c)).isCloseTo(sum, within(1e-6 * size));
    }
  }
}
