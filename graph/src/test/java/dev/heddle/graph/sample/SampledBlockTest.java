package dev.heddle.graph.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Aggregation;
import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks of samples that take all arcs aggregate as the whole graph does. */
class SampledBlockTest {
  private static final int COLS = 3;

  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    team.close();
    memory.close();
  }

  @Test
  void allArcsGiveTheAggregationOfTheWholeGraph() {
    for (int i = 0; i < 40; i++) {
      int vertices = 1 + random.nextInt(80);
      Csr in = RandomArcs.of(memory, random, vertices, random.nextBoolean());
      in = random.nextBoolean() ? RandomArcs.weighted(memory, random, in) : in;
      boolean loops = random.nextBoolean();
      Csr whole = loops ? SelfLoops.added(memory, in) : in;
      Matrix x = Matrix.allocate(memory, vertices, COLS);
      for (int v = 0; v < vertices; v++) {
        for (int c = 0; c < COLS; c++) {
          x.set(v, c, (float) random.nextDouble(-1, 1));
        }
      }
      for (Normalisation normalisation : Normalisation.values()) {
        Matrix expected = Matrix.allocate(memory, vertices, COLS);
        run(Block.of(memory, whole).forward(normalisation), x, expected);
        for (boolean given : new boolean[] {true, false}) {
          check(in, new BlockNeeds(loops, normalisation, given), x, expected);
        }
      }
    }
  }

  private void check(Csr in, BlockNeeds needs, Matrix x, Matrix expected) {
    int[] seeds = RandomArcs.seeds(random, in.rows(), 1 + random.nextInt(20));
    try (Memory own = memory.child()) {
      NeighbourSampler sampler =
          NeighbourSampler.of(
              OwnArcs.whole(in),
              SampleSettings.neighbours(-1, -1),
              needs,
              team,
              own,
              ArcExchange.NONE);
      SampledBatch batch = sampler.newBatch(own);
      SeedOrder order = SeedOrder.of(seeds, 7, 3).epoch(1);
      for (int b = 0; b < order.batches(); b++) {
        sampler.sample(order, b, List.of(batch));
        for (int h = 0; h < 2; h++) {
          boolean given = h == 1 && needs.sumsLastHop();
          checkHop(batch, h, given, Objects.requireNonNull(needs.aggregation()), x, expected);
        }
      }
    }
  }

  private void checkHop(
      SampledBatch batch,
      int h,
      boolean given,
      Normalisation normalisation,
      Matrix x,
      Matrix expected) {
    Matrix out = Matrix.allocate(memory, batch.rows(h), COLS);
    if (given) {
      Csr arcs = batch.hop(h).in();
      Coefficients weights = Coefficients.perArc(Objects.requireNonNull(arcs.weights()));
      run(new Aggregation(arcs, weights, null, null), x, out);
    } else {
      Matrix rows = Matrix.allocate(memory, batch.rows(h + 1), COLS);
      new RowGather().run(team, x, batch.ids(), batch.rows(h + 1), rows);
      run(batch.hop(h).block().forward(normalisation), rows, out);
    }
    for (int row = 0; row < batch.rows(h); row++) {
      for (int c = 0; c < COLS; c++) {
        assertThat(out.get(row, c)).isCloseTo(expected.get(batch.ids().at(row), c), within(1e-4f));
      }
    }
  }

  private void run(Aggregation aggregation, Matrix x, Matrix out) {
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, COLS);
    aggregation.gather(partials).run(team, x, out, false);
  }
}
