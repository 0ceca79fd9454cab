package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.ArcTable.Arc;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockTest {
  private static final Offset<Double> CLOSE = within(1e-4);

  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(1);
  private final SplittableRandom random = TestSeed.random(this);

  @AfterEach
  void close() {
    team.close();
    memory.close();
  }

  private Csr randomArcs(int vertices, boolean weighted) {
    List<Arc> arcs = ArcTable.random(random, vertices, 3 * vertices);
    return ArcTable.list(memory, arcs, weighted).toCsr(memory, vertices, Set.of());
  }

  /** The dense matrix whose rows are destinations. */
  private static double[][] dense(Csr csr, Normalisation normalisation) {
    double[] degrees = new double[csr.rows()];
    ArcTable.of(csr).forEach(a -> degrees[a.destination()] += a.weight());
    double[][] matrix = new double[csr.rows()][csr.cols()];
    for (Arc a : ArcTable.of(csr)) {
      double scale =
          switch (normalisation) {
            case SUM -> 1;
            case MEAN -> 1 / degrees[a.destination()];
            case SYMMETRIC ->
                degrees[a.source()] == 0
                    ? 0
                    : 1 / Math.sqrt(degrees[a.source()] * degrees[a.destination()]);
          };
      matrix[a.destination()][a.source()] += scale * a.weight();
    }
    return matrix;
  }

  @Test
  void aggregationIsAProductWithTheMatrixAndBackwardWithItsTranspose() {
    for (int vertices : new int[] {1, 6, 50}) {
      for (boolean weighted : new boolean[] {true, false}) {
        Csr csr = randomArcs(vertices, weighted);
        Block block = Block.of(memory, csr);
        for (Normalisation normalisation : Normalisation.values()) {
          double[][] matrix = dense(csr, normalisation);
          check(block.forward(normalisation), matrix);
          check(block.backward(normalisation), transposed(matrix));
        }
      }
    }
  }

  private void check(Aggregation aggregation, double[][] matrix) {
    int sources = matrix[0].length;
    Matrix x = Matrix.allocate(memory, sources, 1);
    for (int i = 0; i < sources; i++) {
      x.set(i, 0, (float) random.nextDouble(-1, 1));
    }
    Matrix y = Matrix.allocate(memory, matrix.length, 1);
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, 1);
    aggregation.gather(partials).run(team, x, y, false);
    for (int row = 0; row < matrix.length; row++) {
      double sum = 0;
      for (int i = 0; i < sources; i++) {
        sum += matrix[row][i] * x.get(i, 0);
      }
      assertThat((double) y.get(row, 0)).describedAs("row %d", row).isCloseTo(sum, CLOSE);
    }
  }

  private static double[][] transposed(double[][] matrix) {
    double[][] result = new double[matrix[0].length][matrix.length];
    for (int r = 0; r < matrix.length; r++) {
      for (int c = 0; c < matrix[0].length; c++) {
        result[c][r] = matrix[r][c];
      }
    }
    return result;
  }

  @Test
  void undirectedArcsAreNotCopied() {
    Csr undirected = Csr.of(memory, 4, new int[][] {{1, 1, 2}, {0, 0, 1}, {0}, {}});
    assertThat(Transpose.orItself(memory, undirected)).isSameAs(undirected);
    for (int[][] directed :
        new int[][][] {{{1}, {}}, {{1}, {1}}, {{1, 1}, {0}}, {{0, 1}, {1}}, {{}, {0}}}) {
      Csr arcs = Csr.of(memory, 2, directed);
      assertThat(Transpose.orItself(memory, arcs)).isNotSameAs(arcs);
    }
    MemorySegment weights = memory.allocateFloats(2);
    weights.setAtIndex(JAVA_FLOAT, 0, 1);
    weights.setAtIndex(JAVA_FLOAT, 1, 2);
    Csr weighted = Csr.of(memory, 2, new int[][] {{1}, {0}}).withWeights(weights);
    assertThat(Transpose.orItself(memory, weighted).weight(0)).isEqualTo(2);
  }

  @Test
  void isolatedVerticesHaveNoScale() {
    Block block = Block.of(memory, Csr.of(memory, 3, new int[][] {{0, 1, 2, 2}, {}, {0}}));
    assertThat(floats(block.inverseDegree(), 3)).containsExactly(0.25f, 0, 1);
    assertThat(floats(block.symmetricDestination(), 3)).containsExactly(0.5f, 0, 1);
    assertThat(block.symmetricSource()).isSameAs(block.symmetricDestination());
  }

  @Test
  void whatIsDerivedIsMadeOnce() {
    Block block = Block.of(memory, randomArcs(20, true));
    for (Normalisation normalisation : Normalisation.values()) {
      Aggregation forward = block.forward(normalisation);
      Aggregation backward = block.backward(normalisation);
      long bytes = memory.bytes();
      assertThat(block.forward(normalisation)).isSameAs(forward);
      assertThat(block.backward(normalisation)).isSameAs(backward);
      assertThat(memory.bytes()).isEqualTo(bytes);
    }
  }

  @Test
  void aSampledBlockHasMoreSourcesAndNoSymmetricScale() {
    Block block = Block.of(memory, Csr.of(memory, 5, new int[][] {{1, 4}, {3}}));
    assertThat(block.destinations()).isEqualTo(2);
    assertThat(block.sources()).isEqualTo(5);
    check(block.forward(Normalisation.MEAN), dense(block.in(), Normalisation.MEAN));
    check(block.backward(Normalisation.MEAN), transposed(dense(block.in(), Normalisation.MEAN)));
    assertThatThrownBy(block::symmetricSource)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("all 5 sources");
    assertThatThrownBy(() -> Block.of(memory, block.out()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static float[] floats(MemorySegment values, int count) {
    return values.asSlice(0, (long) count * Float.BYTES).toArray(JAVA_FLOAT);
  }
}
