package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where every chunk takes every stage equally long, each way takes {@code K + S − 1} times as long
 * as one chunk at one stage, of which a stage is idle for {@code S − 1} (GNNPipe's T-P6).
 */
@Tag("slow")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StageTimesTest {
  private static final int VERTICES = 200;
  private static final long SLOT_MILLIS = 200;

  /** When a way began and ended at a stage, and for how long it worked. */
  private static final class Times {
    private long began;
    private long ended;
    private long worked;
    private long chunkBegan;

    void begins() {
      chunkBegan = System.nanoTime();
      began = began == 0 ? chunkBegan : began;
    }

    void ended() {
      ended = System.nanoTime();
      worked += ended - chunkBegan;
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 12", "3, 12", "4, 16"})
  void bothWaysTakeOneSlotForEachChunkAndOneToFillEachStage(int stages, int chunks) {
    Times[][] times = new Times[2][stages];
    for (int stage = 0; stage < stages; stage++) {
      times[0][stage] = new Times();
      times[1][stage] = new Times();
    }
    try (Graph graph = LayerCase.graph(VERTICES, 3)) {
      ModelSpec spec = ModelSpec.of(ModelKind.RESGCN).layers(4).hidden(8).build();
      var split = new LayerSplit(stages, 1, chunks, Compensation.NONE, History.DEFAULT);
      TrainSettings settings = LayerCase.settings(split).build();
      Partition whole = Partition.whole(VERTICES);
      Partition owners = LayerDivision.owners(whole, split);
      LocalWorkers.run(
          stages,
          GroupSettings.DEFAULT,
          group -> {
            try (Memory memory = new Memory();
                ThreadTeam team = ThreadTeam.of(1);
                LocalGraph local =
                    LocalGraph.ofOutputs(graph, new Worker(group, owners, team, memory))) {
              Model model = Model.create(spec, local.shape(), memory, 1);
              LayerPipeline pipeline = LayerPipeline.of(local, model, settings, whole);
              LayerSteps steps = (LayerSteps) pipeline.steps();
              for (int epoch = 1; epoch <= 3; epoch++) {
                if (epoch == 3) {
                  // Epochs before have compiled what this one runs.
                  pipeline.programs().watch(slowly(times[0][group.rank()], times[1][group.rank()]));
                }
                int _ = steps.begin(epoch);
                group.barrier();
                double _ = steps.run(team, new Step(1).train(epoch, 0));
                steps.end();
              }
              group.barrier();
            }
          });
    }
    for (Times[] way : times) {
      long first = Long.MAX_VALUE;
      long last = 0;
      for (Times stage : way) {
        first = Math.min(first, stage.began);
        last = Math.max(last, stage.ended);
      }
      double makespan = last - first;
      // What a chunk really took: sleeping takes longer where others want the processor.
      long worked = Arrays.stream(way).mapToLong(stage -> stage.worked).sum();
      double slot = (double) worked / stages / chunks;
      assertThat(slot).isGreaterThanOrEqualTo(1e6 * SLOT_MILLIS);
      double slots = makespan / slot;
      double expected = chunks + stages - 1;
      assertThat(slots).isCloseTo(expected, within(0.05 * expected));
      for (Times stage : way) {
        assertThat(1 - stage.worked / makespan).isCloseTo((stages - 1) / expected, within(0.07));
      }
    }
  }

  private static ChunkPrograms.Watcher slowly(Times there, Times back) {
    return new ChunkPrograms.Watcher() {
      @Override
      public void begins(boolean forward, int chunk) {
        (forward ? there : back).begins();
        try {
          Thread.sleep(SLOT_MILLIS);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void ended(boolean forward, int chunk) {
        (forward ? there : back).ended();
      }
    };
  }
}
