package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.fail;

/** Random operands of attention of either kind, run by the kernels and by the reference. */
final class AttentionCase {
  private final Memory memory;
  private final BothWays arcs;
  private final Heads heads;
  private final AttentionReference.Settings settings;
  private final Matrix x;
  private final Matrix y;
  private final Matrix a;
  private final Matrix b;
  private final Matrix gradient;

  /** What came out: the output and the gradients of x, y, a and b. */
  record Result(Matrix out, Matrix x, Matrix y, Matrix a, Matrix b) {}

  AttentionCase(
      Memory memory,
      RandomCase random,
      BothWays arcs,
      Heads heads,
      AttentionReference.Settings settings) {
    this.memory = memory;
    this.arcs = arcs;
    this.heads = heads;
    this.settings = settings;
    x = coarse(random, arcs.in().cols());
    y = coarse(random, arcs.in().rows());
    a = coarse(random, 1);
    b = coarse(random, 1);
    gradient = random.matrix(memory, arcs.in().rows(), heads.columns());
  }

  /**
   * Few bits, so that products are exact and no score is on different sides of zero by rounding.
   */
  private Matrix coarse(RandomCase random, int rows) {
    Matrix m = random.matrix(memory, rows, heads.columns());
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, Math.round(8 * m.get(r, c)) / 8f);
      }
    }
    return m;
  }

  private AttentionReference reference() {
    return new AttentionReference(
        arcs.in(),
        heads,
        settings,
        new AttentionReference.Operands(
            TestMatrix.doubles(x),
            TestMatrix.doubles(y),
            TestMatrix.doubles(a)[0],
            TestMatrix.doubles(b)[0]));
  }

  /** Forward and back; gradients of rows are added to ones if {@code add}, of vectors always. */
  Result run(AttentionKernels kernels, ThreadTeam team, boolean add) {
    return run(kernels, team, add, y, ones(x.rows()), ones(y.rows()));
  }

  /** Runs with the first rows of x as destinations, their gradients shared as well or not. */
  Result runPrefix(ThreadTeam team, boolean add, boolean shared) {
    int rows = arcs.in().rows();
    Matrix gx = ones(x.rows());
    Matrix gy = shared ? gx.slice(0, rows) : ones(rows);
    return run(Kernels.attention(), team, add, x.slice(0, rows), gx, gy);
  }

  private Result run(
      AttentionKernels kernels,
      ThreadTeam team,
      boolean add,
      Matrix destinations,
      Matrix gx,
      Matrix gy) {
    Matrix out = TestMatrix.nan(memory, arcs.in().rows(), heads.columns());
    Matrix ga = ones(1);
    Matrix gb = ones(1);
    if (settings.projected()) {
      var attention = Gatv2Attention.over(twins(), buffers(), kernels);
      attention.slope(settings.slope());
      attention.dropout(settings.rate(), settings.key());
      attention.forward(team, new Gatv2Attention.Operands(x, destinations, a), out);
      attention.backward(team, gradient, new Gatv2Attention.Operands(gx, gy, ga), add);
    } else {
      Matrix scores = TestMatrix.nan(memory, x.rows(), heads.count());
      var attention = GatAttention.over(twins(), buffers(), scores, kernels);
      attention.slope(settings.slope());
      attention.dropout(settings.rate(), settings.key());
      attention.forward(team, new GatAttention.Operands(x, destinations, a, b), out);
      attention.backward(team, gradient, new GatAttention.Operands(gx, gy, ga, gb), add);
    }
    return new Result(out, gx, gy, ga, gb);
  }

  private AttentionBuffers buffers() {
    return AttentionBuffers.over(
        heads,
        TestMatrix.nan(memory, arcs.in().rows(), AttentionBuffers.stateColumns(heads)),
        TestMatrix.nan(memory, ArcTasks.MAX_SEGMENTS, AttentionBuffers.scratchColumns(heads)),
        memory.allocate(AttentionBuffers.arcBytes(heads, arcs.in().arcs())));
  }

  private ArcTwins twins() {
    return ArcTwins.of(memory, arcs.in(), arcs.out());
  }

  private Matrix ones(int rows) {
    Matrix m = TestMatrix.nan(memory, rows, heads.columns());
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, 1);
      }
    }
    return m;
  }

  /** Runs each of the kernels against the reference. */
  void assertEqualReference(ThreadTeam team, boolean add, AttentionKernels... all) {
    AttentionReference reference = reference();
    double[][] out = reference.forward();
    reference.backward(TestMatrix.doubles(gradient));
    var gradients = reference.gradients;
    var sizes = reference.sizes;
    int before = add ? 1 : 0;
    for (AttentionKernels kernels : all) {
      Result result = run(kernels, team, add);
      TestMatrix.assertClose(result.out, out, 1e-4);
      assertClose("x", result.x, before, gradients.x, sizes.x);
      assertClose("y", result.y, before, gradients.y, sizes.y);
      assertClose("a", result.a, 1, new double[][] {gradients.a}, new double[][] {sizes.a});
      if (!settings.projected()) {
        assertClose("b", result.b, 1, new double[][] {gradients.b}, new double[][] {sizes.b});
      }
    }
  }

  private static void assertClose(
      String of, Matrix actual, double before, double[][] expected, double[][] sizes) {
    for (int r = 0; r < expected.length; r++) {
      for (int c = 0; c < expected[r].length; c++) {
        double value = actual.get(r, c) - before;
        if (!(Math.abs(value - expected[r][c]) <= 1e-5 + 2e-5 * sizes[r][c])) {
          fail("gradient of %s [%d, %d]: %s, not %s", of, r, c, value, expected[r][c]);
        }
      }
    }
  }
}
