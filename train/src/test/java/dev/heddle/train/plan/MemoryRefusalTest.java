package dev.heddle.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.Group;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Training;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What does not fit is refused before it is taken, and planning gives back all that it takes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MemoryRefusalTest {
  private static final ModelSpec SPEC = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(64).build();

  private static Graph graph;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      graph = CommunityGraph.of(4000).averageDegree(8).classes(4).width(16).generate(team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static TrainSettings settings(boolean batches, long limit) {
    var sampling = SampleSettings.neighbours(10, 5);
    return TrainSettings.builder()
        .epochs(2)
        .threads(1)
        .evaluateEvery(batches ? 0 : 1)
        .memoryLimit(limit)
        .batches(batches ? new BatchSettings(200, sampling) : null)
        .build();
  }

  @Test
  void namesWhatNeedsMostAndWhatWouldHelp() {
    long needed;
    try (Training training = Training.of(graph, SPEC, settings(false, Long.MAX_VALUE))) {
      needed = training.plan().largest().bytes();
    }
    try (Training training = Training.of(graph, SPEC, settings(false, needed))) {
      assertThat(training.plan().largest().bytes()).isEqualTo(needed);
    }
    assertThatThrownBy(() -> Training.of(graph, SPEC, settings(false, needed / 2)).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "training needs .* MB of memory or more, but may take .* MB; most of it, .* MB, is for"
                + " values and gradients: try fewer --hidden or --layers, --batch, or --scratch, or"
                + " set --memory");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void planningTakesNothingThatLasts(boolean batches) {
    try (Memory budget = new Memory()) {
      TrainSettings settings = settings(batches, Long.MAX_VALUE);
      StrategyPlan plan =
          DryRun.of(
              budget, graph, SPEC, settings, Group.alone(), Partition.whole(graph.vertices()));
      assertThat(budget.bytes()).isZero();
      MemoryNeed largest = plan.largest();
      // Neither values nor gradients were there; of batches, those that were looked at were.
      assertThat(budget.peakBytes()).isLessThan(largest.bytes() - largest.of(Purpose.VALUES) / 2);
      try (Training training = Training.of(graph, SPEC, settings)) {
        assertThat(training.plan()).isEqualTo(plan);
      }
    }
  }
}
