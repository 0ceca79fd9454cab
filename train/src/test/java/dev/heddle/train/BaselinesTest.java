package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.train.run.Scores;
import org.junit.jupiter.api.Test;

class BaselinesTest {
  /**
   * Two paths, 0–1–2 and 3–4–5, whose first vertices are known; 6, known too, and 7 stand alone.
   */
  private static Graph twoPaths() {
    Memory memory = new Memory();
    int[][] in = {{1}, {0, 2}, {1}, {4}, {3, 5}, {4}, {}, {}};
    return Graph.builder(memory, "paths", Csr.of(memory, 8, in))
        .labels(ClassLabels.of(memory, new int[] {0, 0, 0, 1, 1, 1, 1, 0}, 2))
        .split(new Split(new int[] {0, 3, 6}, new int[] {1, 4}, new int[] {2, 5, 7}))
        .build();
  }

  @Test
  void classesSpreadOverPathsAndTheRestIsTheMajority() {
    try (Graph graph = twoPaths();
        ThreadTeam team = ThreadTeam.of(1);
        Baselines baselines = Baselines.of(graph, Metric.named("accuracy"), new Memory())) {
      // Vertex 7 is out of reach: it gets class 1, as two of three training vertices have.
      assertThat(baselines.labelPropagation(team)).isEqualTo(new Scores(1, 1, 2 / 3.0));
      assertThat(baselines.majority()).isEqualTo(new Scores(2 / 3.0, 0.5, 1 / 3.0));
    }
  }
}
