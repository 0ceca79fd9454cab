package dev.heddle.graph.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Refinement between two sides and between k parts. */
class RefinementTest {
  private static final int VERTICES = 400;

  private final long seed = seed();

  private static long seed() {
    String given = System.getProperty("heddle.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    System.out.println("heddle.seed=" + seed);
    return seed;
  }

  private LevelGraph level() {
    try (ThreadTeam team = ThreadTeam.of(1);
        Graph graph = Shapes.undirected(VERTICES, Shapes.hubs(VERTICES, 1500, seed))) {
      int[] loads = new int[VERTICES];
      Arrays.setAll(loads, v -> 1 + Draws.below(Draws.at(seed, -v), 3));
      LevelGraph plain = Undirected.of(graph, new Loads(1, loads), team);
      int[] weights = new int[plain.arcs()];
      for (int v = 0; v < VERTICES; v++) {
        for (int arc = plain.offsets[v]; arc < plain.offsets[v + 1]; arc++) {
          int u = plain.ids[arc];
          weights[arc] = 1 + Draws.below(Draws.at(seed, (long) u * v + u + v), 5);
        }
      }
      return new LevelGraph(plain.offsets, plain.ids, weights, new Loads(1, loads));
    }
  }

  private Assignment random(LevelGraph graph, int parts) {
    int[] part = new int[VERTICES];
    Arrays.setAll(part, v -> Draws.below(Draws.at(seed, 1000 + v), parts));
    long[] room = new long[parts];
    Arrays.fill(room, (long) (1.05 * graph.totals()[0] / parts));
    Assignment assignment = new Assignment(graph, parts, part, room);
    Rebalancing.run(assignment);
    return assignment;
  }

  /** What is kept while vertices move agrees with what a count from scratch says. */
  private static void check(Assignment refined, long before) {
    assertThat(refined.cut()).isLessThan(before);
    assertThat(refined.overload()).isZero();
    Assignment counted =
        new Assignment(refined.graph, refined.parts, refined.part.clone(), refined.room);
    assertThat(refined.loads).isEqualTo(counted.loads);
  }

  @Test
  void cutsLessBetweenTwoSides() {
    LevelGraph graph = level();
    SideRefinement refinement = new SideRefinement(graph);
    // One after another: what the first leaves behind does not disturb the second.
    for (int round = 0; round < 2; round++) {
      Assignment sides = random(graph, 2);
      long before = sides.cut();
      refinement.run(sides, 4, 50);
      check(sides, before);
    }
  }

  @Test
  void cutsLessBetweenManyParts() {
    LevelGraph graph = level();
    for (int parts : new int[] {2, 3, 7, 20}) {
      Assignment assignment = random(graph, parts);
      long before = assignment.cut();
      long cut = new Refinement(assignment).run(8, 100);
      check(assignment, before);
      assertThat(assignment.cut()).isEqualTo(cut);
    }
  }
}
