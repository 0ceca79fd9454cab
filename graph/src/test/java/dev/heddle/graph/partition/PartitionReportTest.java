package dev.heddle.graph.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is reported is what counting by hand gives, and simple methods do what they say. */
class PartitionReportTest {
  private static final List<Partitioner> ALL =
      List.of(
          new MultilevelPartitioner(),
          new StreamingPartitioner(),
          new RandomPartitioner(),
          new RangePartitioner());

  @Test
  void countsAsBruteForceDoes() {
    for (int seed = 0; seed < 20; seed++) {
      int n = 2 + Draws.below(Draws.at(seed, -1), 60);
      int[][] arcs = new int[3 * n][];
      for (int i = 0; i < arcs.length; i++) {
        long bits = Draws.at(seed, i);
        arcs[i] = new int[] {Draws.below(bits, n), Draws.below(Draws.mix(bits), n)};
      }
      int parts = 1 + seed % Math.min(5, n);
      try (Graph graph = Shapes.directed(n, arcs);
          ThreadTeam team = ThreadTeam.of(1)) {
        for (Partitioner method : ALL) {
          PartitionSettings settings = PartitionSettings.of(parts).withSeed(seed);
          Partition partition = method.partition(graph, settings, team);
          compare(PartitionReport.of(graph, partition), partition, arcs);
        }
      }
    }
  }

  private static void compare(PartitionReport report, Partition partition, int[][] arcs) {
    Set<Long> edges = new HashSet<>();
    Set<Long> cut = new HashSet<>();
    Set<Long> halo = new HashSet<>();
    long arcsCut = 0;
    for (int[] arc : arcs) {
      long edge = ((long) Math.min(arc[0], arc[1]) << 32) | Math.max(arc[0], arc[1]);
      if (arc[0] != arc[1]) {
        edges.add(edge);
      }
      int to = partition.partOf(arc[1]);
      if (partition.partOf(arc[0]) != to) {
        cut.add(edge);
        halo.add(((long) to << 32) | arc[0]);
        arcsCut++;
      }
    }
    assertThat(report.edges()).isEqualTo(edges.size());
    assertThat(report.edgesCut()).isEqualTo(cut.size());
    assertThat(report.arcs()).isEqualTo(arcs.length);
    assertThat(report.arcsCut()).isEqualTo(arcsCut);
    assertThat(report.halo()).isEqualTo(halo.size());
    long vertices = report.parts().stream().mapToLong(PartitionReport.Part::vertices).sum();
    assertThat(vertices).isEqualTo(partition.vertices());
  }

  @Test
  void streamingFindsCliquesAndKeepsTheBalance() {
    try (Graph graph = Shapes.undirected(96, Shapes.cliques(8, 12));
        ThreadTeam team = ThreadTeam.of(1)) {
      PartitionSettings settings = PartitionSettings.of(4);
      Partition partition = new StreamingPartitioner().partition(graph, settings, team);
      PartitionReport report = PartitionReport.of(graph, partition);
      assertThat(report.edgesCut()).isLessThan(report.edges() / 4);
      assertThat(report.vertexBalance()).isLessThanOrEqualTo(1.05);
    }
  }

  @Test
  void randomAndRangeAreEven() {
    try (Graph graph = Shapes.undirected(1003, Shapes.grid(17, 59));
        ThreadTeam team = ThreadTeam.of(1)) {
      PartitionSettings settings = PartitionSettings.of(4);
      Partition random = new RandomPartitioner().partition(graph, settings, team);
      Partition range = new RangePartitioner().partition(graph, settings, team);
      assertThat(PartitionReport.of(graph, random).vertexBalance()).isLessThan(1.002);
      assertThat(PartitionReport.of(graph, range).arcBalance()).isLessThan(1.02);
      for (int v = 1; v < 1003; v++) {
        assertThat(range.partOf(v)).isBetween(range.partOf(v - 1), range.partOf(v - 1) + 1);
      }
    }
  }
}
