package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of {@link GatAttention} and {@link Gatv2Attention}. */
class AttentionTest {
  private final Memory memory = new Memory();
  private final RandomCase random = new RandomCase(this);

  @AfterEach
  void free() {
    memory.close();
  }

  static List<Heads> heads() {
    List<Heads> all = new ArrayList<>();
    for (int count : new int[] {1, 2, 4, 8, 17}) {
      for (int width : new int[] {1, 3, 7, 8, 16, 33}) {
        all.add(new Heads(count, width));
      }
    }
    all.add(new Heads(1, 47));
    all.add(new Heads(3, 64));
    all.add(new Heads(2, 100));
    return all;
  }

  private AttentionReference.Settings settings(boolean projected, float rate) {
    return new AttentionReference.Settings(
        projected, random.below(9) / 8f, rate, random.below(1 << 30));
  }

  /** Few sources, so that they have more arcs than a chunk, as the hub has. */
  private BothWays bipartite() {
    return BothWays.of(memory, random.arcs(memory, 40, 3, 70));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void equalsTheDoubleReference(Heads heads) {
    for (boolean projected : new boolean[] {false, true}) {
      for (float rate : new float[] {0, 0.4f}) {
        var c = new AttentionCase(memory, random, bipartite(), heads, settings(projected, rate));
        try (ThreadTeam team = ThreadTeam.of(1)) {
          c.assertEqualReference(team, rate > 0, new ScalarAttention(), new SimdAttention());
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void referenceGradientsAreDifferences(boolean projected) {
    Csr in = random.arcs(memory, 6, 4, 9);
    Heads heads = new Heads(2, 3);
    AttentionReference.Settings settings = settings(projected, 0.4f);
    double[][] x = normal(4, 6);
    double[][] y = normal(6, 6);
    double[][] ab = normal(2, 6);
    double[][] weights = normal(6, 6);
    var operands = new AttentionReference.Operands(x, y, ab[0], ab[1]);
    var reference = new AttentionReference(in, heads, settings, operands);
    reference.backward(weights);
    var gradients = reference.gradients;
    assertGradient(reference, weights, x, gradients.x);
    assertGradient(reference, weights, y, gradients.y);
    assertGradient(reference, weights, new double[][] {ab[0]}, new double[][] {gradients.a});
    if (!projected) {
      assertGradient(reference, weights, new double[][] {ab[1]}, new double[][] {gradients.b});
    }
  }

  private double[][] normal(int rows, int cols) {
    return TestMatrix.doubles(random.matrix(memory, rows, cols));
  }

  private static void assertGradient(
      AttentionReference reference, double[][] weights, double[][] operand, double[][] gradient) {
    double step = 1e-7;
    for (int r = 0; r < operand.length; r++) {
      for (int c = 0; c < operand[r].length; c++) {
        double before = operand[r][c];
        operand[r][c] = before + step;
        double above = loss(weights, reference.forward());
        operand[r][c] = before - step;
        double below = loss(weights, reference.forward());
        operand[r][c] = before;
        assertThat(gradient[r][c]).isCloseTo((above - below) / (2 * step), within(1e-5));
      }
    }
  }

  private static double loss(double[][] weights, double[][] out) {
    double loss = 0;
    for (int r = 0; r < out.length; r++) {
      for (int c = 0; c < out[r].length; c++) {
        loss += weights[r][c] * out[r][c];
      }
    }
    return loss;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void gradientsOfSharedRowsAreSummed(boolean projected) {
    BothWays square = BothWays.of(memory, random.arcs(memory, 40, 60, 50));
    Heads heads = new Heads(2, 8);
    var c = new AttentionCase(memory, random, square, heads, settings(projected, 0.4f));
    try (ThreadTeam team = ThreadTeam.of(1)) {
      AttentionCase.Result apart = c.runPrefix(team, false, false);
      for (boolean add : new boolean[] {false, true}) {
        Matrix sum = c.runPrefix(team, add, true).x();
        for (int r = 0; r < sum.rows(); r++) {
          for (int col = 0; col < sum.cols(); col++) {
            float expected = apart.x().get(r, col) + (add ? 1 : 0);
            expected += r < apart.y().rows() ? apart.y().get(r, col) : 0;
            assertThat(sum.get(r, col)).isCloseTo(expected, within(1e-4f));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bitsDoNotDependOnThreads(boolean projected) {
    BothWays arcs = BothWays.of(memory, random.arcs(memory, 2000, 2500, 1500));
    assertThat(arcs.out().rowTasks().ranges()).isGreaterThan(1);
    Heads heads = new Heads(2, 11);
    var c = new AttentionCase(memory, random, arcs, heads, settings(projected, 0.4f));
    AttentionCase.Result first = null;
    for (int threads : new int[] {1, 2, 3}) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        AttentionCase.Result result = c.run(Kernels.attention(), team, false);
        first = first == null ? result : first;
        assertThat(result.out().toArray()).isDeepEqualTo(first.out().toArray());
        assertThat(result.x().toArray()).isDeepEqualTo(first.x().toArray());
        assertThat(result.y().toArray()).isDeepEqualTo(first.y().toArray());
        assertThat(result.a().toArray()).isDeepEqualTo(first.a().toArray());
        assertThat(result.b().toArray()).isDeepEqualTo(first.b().toArray());
      }
    }
  }

  @Test
  void refusesWrongShapes() {
    BothWays arcs = bipartite();
    Heads heads = new Heads(2, 4);
    Matrix scratch = Matrix.allocate(memory, 8, AttentionBuffers.scratchColumns(heads));
    assertThatThrownBy(() -> AttentionBuffers.over(heads, scratch, scratch, scratch.data()))
        .hasMessage("state and scratch must be 32 and 8 columns wide, not 8 and 8");
    Matrix state = Matrix.allocate(memory, 40, AttentionBuffers.stateColumns(heads));
    AttentionBuffers buffers = AttentionBuffers.over(heads, state, scratch, scratch.data());
    Gatv2Attention attention =
        Gatv2Attention.over(ArcTwins.of(memory, arcs.in(), arcs.out()), buffers);
    var operands = new Gatv2Attention.Operands(scratch, scratch, scratch);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      assertThatThrownBy(() -> attention.forward(team, operands, scratch))
          .hasMessage("the rows of destinations must be 40 x 8 but is 8 x 8");
    }
    assertThatThrownBy(() -> attention.dropout(1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> attention.slope(2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Heads(0, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
