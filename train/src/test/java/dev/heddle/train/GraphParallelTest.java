package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Graph;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several workers train as one does: the same losses, gradients and scores, whatever the model and
 * however the graph is cut.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GraphParallelTest {
  static Stream<Arguments> models() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : ModelKind.values()) {
      for (int workers : new int[] {2, 3, 4, 7}) {
        cases.add(Arguments.of(kind, workers));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("models")
  void trainsLikeOneWorker(ModelKind kind, int workers) throws IOException {
    try (ParallelCase what = ParallelCase.random(TestSeed.random(this), kind, workers)) {
      what.assertTrainsLikeOneWorker(workers);
    }
  }

  /** Statistics are those of the rows of all workers. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7})
  void normalisesBatchesLikeOneWorker(int workers) throws IOException {
    SplittableRandom random = TestSeed.random(this);
    try (ParallelCase what = ParallelCase.random(random, ModelKind.SAGE, NormKind.BATCH, workers)) {
      what.assertTrainsLikeOneWorker(workers);
    }
  }

  /** Every worker gets what one alone predicts of all vertices, in the user's order. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7})
  void predictsLikeOneWorker(int workers) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(8).dropout(0.2f).build();
    TrainSettings settings = TrainSettings.builder().threads(1).epochs(3).build();
    try (Graph unordered = ParallelCase.randomGraph(random, false);
        Graph graph = unordered.reordered(VertexOrder.DEGREE)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      float[][] expected;
      try (Training alone = Training.of(graph, spec, settings)) {
        TrainResult _ = alone.run();
        expected = alone.predict();
      }
      LocalWorkers.run(
          workers,
          GroupSettings.DEFAULT,
          group -> {
            try (Training one = Training.of(graph, spec, settings, group, owners)) {
              TrainResult _ = one.run();
              float[][] predicted = one.predict();
              for (int v = 0; v < expected.length; v++) {
                assertThat(predicted[v]).containsExactly(expected[v], within(1e-3f));
              }
            }
          });
    }
  }

  /** The formula: rows sent × width × 4, there and back, for each layer that needs a gradient. */
  @Test
  void sendsWhatTheFormulaSays() {
    SplittableRandom random = TestSeed.random(this);
    int k = 4;
    int hidden = 24;
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(3).hidden(hidden).dropout(0).build();
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), k);
      for (boolean cached : new boolean[] {true, false}) {
        long[] expected = new long[k];
        long[] sent = new long[k];
        LocalWorkers.run(
            k,
            GroupSettings.DEFAULT,
            group -> {
              try (Memory memory = new Memory();
                  ThreadTeam threads = ThreadTeam.of(1);
                  LocalGraph share =
                      LocalGraph.of(
                          graph, new Worker(group, owners, threads, memory), Knobs.DEFAULT)) {
                Model model = Model.create(spec, share.shape(), memory, 1);
                TrainSettings settings =
                    TrainSettings.builder().threads(1).cacheConstants(cached).build();
                LoopRun trainer = LoopRun.of(share, model, settings);
                double _ = trainer.epoch(1);
                Traffic before = group.traffic();
                double _ = trainer.epoch(2);
                sent[group.rank()] = group.traffic().since(before).of(Kind.HALO).bytes();
                // Features of width 12 every epoch where they are not kept; layers of 24 and then
                // of 3 classes, both there and back.
                long there = (cached ? 0L : 12L) + hidden + 3;
                long back = hidden + 3L;
                expected[group.rank()] =
                    4
                        * (there * LoopRun.halo(share).layout().sentRows()
                            + back * receivedRows(share));
              }
            });
        assertThat(sent).isEqualTo(expected);
      }
    }
  }

  private static long receivedRows(LocalGraph share) {
    return (long) share.part().sources() - share.part().vertices();
  }
}
