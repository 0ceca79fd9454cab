package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GatherProductTest {
  private final Memory memory = new Memory();
  private final RandomCase random = new RandomCase(this);

  @AfterEach
  void free() {
    memory.close();
  }

  /** A convolution over random arcs, with a hub or without, and its operands. */
  private final class Case {
    final Csr in;
    final Csr out;
    final Matrix w;
    final @Nullable Matrix self;
    final Matrix x;
    final Matrix g;
    final SumGather forward;
    final SumGather backward;

    Case(int destinations, int sources, int hubArcs, int[] shape, boolean withSelf) {
      in = random.arcs(memory, destinations, sources, hubArcs);
      out = transposed(in);
      w = random.matrix(memory, shape[0], shape[1]);
      self = withSelf ? random.matrix(memory, shape[0], shape[1]) : null;
      x = random.matrix(memory, sources, shape[0]);
      g = random.matrix(memory, destinations, shape[1]);
      forward = gather(in, shape[0]);
      backward = gather(out, shape[1]);
    }

    Results fused(int threads, boolean inPlace) {
      GatherProduct.Weight neighbours = new GatherProduct.Weight(w, zeros(w));
      GatherProduct.Weight own = self == null ? null : new GatherProduct.Weight(self, zeros(self));
      GatherProduct product =
          GatherProduct.over(
              new GatherProduct.Arcs(forward, backward),
              neighbours,
              own,
              memory.allocate(GatherProduct.scratchBytes(w, self != null)));
      Matrix y = TestMatrix.nan(memory, in.rows(), w.cols());
      Matrix source = TestMatrix.copy(memory, x);
      Matrix gx = inPlace ? source : TestMatrix.nan(memory, x.rows(), x.cols());
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        product.forward(team, source, y);
        product.backward(team, g, source, new GatherProduct.Gradient(gx, false));
      }
      return new Results(y, gx, neighbours.grad(), own == null ? null : own.grad());
    }

    /** The results by the kernels it is made of, one after another. */
    Results apart() {
      Matrix y = TestMatrix.nan(memory, in.rows(), w.cols());
      Matrix gx = TestMatrix.nan(memory, x.rows(), x.cols());
      Matrix gw = zeros(w);
      Matrix gself = self == null ? null : zeros(self);
      Matrix t = TestMatrix.nan(memory, in.rows(), w.rows());
      Matrix back = TestMatrix.nan(memory, in.cols(), w.cols());
      Product product = Product.allocate(memory, w.rows(), w.cols());
      try (ThreadTeam team = ThreadTeam.of(2)) {
        forward.run(team, x, t, false);
        product.multiply(team, in.rows(), t, w, y);
        backward.run(team, g, back, false);
        product.multiplyTransposed(team, in.cols(), back, w, gx);
        product.addTransposeMultiply(team, in.cols(), x, back, gw);
        if (self != null && gself != null) {
          product.addMultiply(team, in.rows(), x, self, y);
          product.addMultiplyTransposed(team, in.rows(), g, self, gx);
          product.addTransposeMultiply(team, in.rows(), x, g, gself);
        }
      }
      return new Results(y, gx, gw, gself);
    }
  }

  private record Results(Matrix y, Matrix gx, Matrix gw, @Nullable Matrix gself) {
    List<Matrix> all() {
      List<Matrix> all = new ArrayList<>(List.of(y, gx, gw));
      if (gself != null) {
        all.add(gself);
      }
      return all;
    }
  }

  private Matrix zeros(Matrix like) {
    return TestMatrix.zeros(memory, like.rows(), like.cols());
  }

  private SumGather gather(Csr arcs, int cols) {
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, cols);
    return SumGather.over(arcs, Coefficients.ones(memory, arcs.cols()), null, partials);
  }

  private Csr transposed(Csr arcs) {
    List<List<Integer>> rows = new ArrayList<>();
    for (int c = 0; c < arcs.cols(); c++) {
      rows.add(new ArrayList<>());
    }
    for (int r = 0; r < arcs.rows(); r++) {
      for (long arc = arcs.offset(r); arc < arcs.offset(r + 1); arc++) {
        rows.get(arcs.id(arc)).add(r);
      }
    }
    return Csr.of(
        memory,
        arcs.rows(),
        rows.stream()
            .map(r -> r.stream().mapToInt(Integer::intValue).toArray())
            .toArray(int[][]::new));
  }

  @Test
  void equalsTheKernelsItIsMadeOf() {
    int[][] shapes = {{1, 3}, {7, 8}, {9, 5}, {17, 33}, {40, 16}, {64, 65}};
    for (int[] shape : shapes) {
      for (boolean self : new boolean[] {false, true}) {
        Case c = new Case(700, 900, 40_000, shape, self);
        assertThat(c.in.tasks().hubs()).isPositive();
        assertClose(c.fused(2, false), c.apart());
        assertClose(c.fused(2, true), c.apart());
      }
    }
    Case small = new Case(3, 5, 2, new int[] {4, 4}, true);
    assertClose(small.fused(2, true), small.apart());
  }

  private static void assertClose(Results actual, Results expected) {
    for (int i = 0; i < expected.all().size(); i++) {
      Matrix e = expected.all().get(i);
      double scale = 1;
      for (float[] row : e.toArray()) {
        for (float value : row) {
          scale = Math.max(scale, Math.abs(value));
        }
      }
      TestMatrix.assertClose(actual.all().get(i), TestMatrix.doubles(e), 1e-5 * scale);
    }
  }

  @Test
  void threadsChangeNoBit() {
    Case c = new Case(40_000, 40_000, 50_000, new int[] {9, 17}, true);
    assertThat(RowParts.of(c.out).count()).isGreaterThan(3);
    List<Matrix> one = c.fused(1, false).all();
    for (int threads = 2; threads <= 3; threads++) {
      List<Matrix> more = c.fused(threads, true).all();
      for (int i = 0; i < one.size(); i++) {
        assertThat(more.get(i).toArray()).isDeepEqualTo(one.get(i).toArray());
      }
    }
  }
}
