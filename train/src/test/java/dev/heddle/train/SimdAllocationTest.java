package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Graph;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Vectors stay in registers in the kernels of the common models: a vector that the compiler could
 * not keep there is an object, for ever. Runs in a JVM of its own with few models, as training
 * does, because what the compiler makes of a kernel depends on all that it compiled before.
 */
class SimdAllocationTest {
  private static final int VERTICES = 600;
  private static final int IN_ROW = 25;

  /** Bytes per epoch: not one vector for every tenth row. */
  private static final long MOST = 1000;

  private static Graph graph;

  @BeforeAll
  static void generate() {
    graph = SmallGraph.of(VERTICES, 13, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "SAGE_POOL", "GAT", "GATV2", "RESGCN"})
  void vectorsAreNoObjects(ModelKind kind) {
    ModelSpec spec = ModelSpec.of(kind).hidden(20).heads(4).dropout(0.4f).build();
    TrainSettings settings = TrainSettings.builder().learningRate(1e-3f).build();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(2)) {
      Model model = Model.create(spec, shape(), memory, 1);
      LoopRun trainer = LoopRun.alone(graph, model, settings, team, memory);
      long perEpoch = AllocatedBytes.least(IN_ROW, MOST, trainer::epoch);
      assertThat(perEpoch).as("bytes per epoch").isLessThanOrEqualTo(MOST);
    }
  }

  private static Model.Shape shape() {
    return new Model.Shape(TrainableGraph.features(graph).width(), graph.classes());
  }

  /** Rows of bfloat16 are widened and summed by kernels of their own. */
  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE"})
  void vectorsOfHalvesAreNoObjects(ModelKind kind) {
    ModelSpec spec = ModelSpec.of(kind).hidden(20).dropout(0.4f).build();
    var sampling = new SampleSettings(SamplerKind.NEIGHBOUR, List.of(5, 5), false, false);
    TrainSettings settings =
        TrainSettings.builder()
            .learningRate(1e-3f)
            .halfWidth(true)
            .batches(new BatchSettings(100, sampling))
            .build();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(2)) {
      Model model = Model.create(spec, shape(), memory, 1);
      try (LoopRun trainer = LoopRun.alone(graph, model, settings, team, memory)) {
        long perEpoch = AllocatedBytes.least(IN_ROW, MOST, trainer::epoch);
        assertThat(perEpoch).as("bytes per epoch").isLessThanOrEqualTo(MOST);
      }
    }
  }
}
