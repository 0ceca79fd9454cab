package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FullGraphStepsTest {
  /** More rows than a task has, so that threads share the work. */
  private static final int VERTICES = 1100;

  private static Graph graph;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      graph =
          CommunityGraph.of(VERTICES)
              .averageDegree(6)
              .communities(8)
              .classes(4)
              .width(11)
              .seed(3)
              .generate(team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  @ParameterizedTest
  @EnumSource
  void bitsDoNotDependOnThreads(ModelKind kind) {
    Run one = run(kind, 1, 9);
    assertThat(run(kind, 2, 9).equalsBitByBit(one)).as("2 threads").isTrue();
    assertThat(run(kind, 3, 9).equalsBitByBit(one)).as("3 threads").isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void seedsDecideTheBits(ModelKind kind) {
    Run first = run(kind, 2, 9);
    assertThat(run(kind, 2, 9).equalsBitByBit(first)).as("same seed").isTrue();
    assertThat(run(kind, 2, 10).equalsBitByBit(first)).as("another seed").isFalse();
  }

  /** What training came to. */
  @SuppressWarnings("ArrayRecordComponent") // Compared element by element.
  private record Run(List<Double> losses, List<float[][]> parameters, float[][] outputs) {
    boolean equalsBitByBit(Run other) {
      return losses.equals(other.losses)
          && Arrays.deepEquals(outputs, other.outputs)
          && Arrays.deepEquals(parameters.toArray(), other.parameters.toArray());
    }
  }

  private static Run run(ModelKind kind, int threads, long seed) {
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(threads)) {
      Model model = model(kind, memory, seed);
      LoopRun trainer = trainer(model, team, memory, seed);
      List<Double> losses = new ArrayList<>();
      for (int epoch = 1; epoch <= 5; epoch++) {
        losses.add(trainer.epoch(epoch));
      }
      return new Run(
          losses,
          model.parameters().all().stream().map(p -> p.value().toArray()).toList(),
          trainer.predict().toArray());
    }
  }

  /** A model with everything that draws and everything that sums over rows. */
  private static Model model(ModelKind kind, Memory memory, long seed) {
    ModelSpec spec =
        ModelSpec.of(kind)
            .hidden(8)
            .heads(2)
            .outputHeads(2)
            .propagations(2)
            .dropout(0.4f)
            .inputDropout(0.2f)
            .attentionDropout(0.3f)
            .norm(NormKind.BATCH)
            .build();
    return Model.create(spec, new Model.Shape(11, 4), memory, seed);
  }

  private static LoopRun trainer(Model model, ThreadTeam team, Memory memory, long seed) {
    TrainSettings settings =
        TrainSettings.builder().seed(seed).weightDecay(1e-3f).clipNorm(1).build();
    return LoopRun.alone(graph, model, settings, team, memory);
  }
}
