package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowChainTest {
  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final List<ThreadTeam> teams = List.of(ThreadTeam.of(1), ThreadTeam.of(3));

  @AfterEach
  void free() {
    teams.forEach(ThreadTeam::close);
    memory.close();
  }

  private Matrix gaussian(int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    m.fill(Float.NaN);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, (float) random.nextGaussian());
      }
    }
    return m;
  }

  /** What one work has made the next reads, and the first row of a part begins its sums anew. */
  @ParameterizedTest
  @CsvSource({"1, 3, 5", "511, 8, 8", "513, 13, 40", "1500, 9, 17", "17000, 5, 3"})
  void productsEpilogueAndGradientsEqualThoseOneByOne(int rows, int in, int out) {
    Matrix x = gaussian(rows, in);
    Matrix y = gaussian(rows, in);
    Matrix w = gaussian(in, out);
    Matrix v = gaussian(in, out);
    Matrix bias = gaussian(1, out);
    Matrix grad = gaussian(rows, out);
    List<float[][]> firsts = new ArrayList<>();
    for (ThreadTeam team : teams) {
      Matrix h = Matrix.allocate(memory, rows, out);
      Matrix masked = Matrix.allocate(memory, rows, out);
      Matrix dw = Matrix.allocate(memory, in, out);
      Matrix db = Matrix.allocate(memory, 1, out);
      var bits = memory.allocate(Epilogue.bitBytes(rows, out));
      Epilogue epilogue = Epilogue.of(Activation.RELU, bias, bits);
      new RowChain(
              List.of(
                  new RowProduct(x, w, h, false),
                  new RowProduct(y, v, h, true),
                  epilogue.forwardWork(h, h)))
          .run(team, rows);
      var scratch = memory.allocate(Product.scratchBytes(in, out));
      RowChain back =
          new RowChain(
              List.of(
                  epilogue.backwardWork(grad, masked),
                  new RowColumnSum(memory, masked, db),
                  new RowWeightGradient(x, masked, dw, scratch)));
      back.run(team, rows);
      back.run(team, rows);
      double[][] sums = new double[in + 1][out];
      for (int r = 0; r < rows; r++) {
        for (int c = 0; c < out; c++) {
          double sum = bias.get(0, c);
          for (int k = 0; k < in; k++) {
            sum += (double) x.get(r, k) * w.get(k, c) + (double) y.get(r, k) * v.get(k, c);
          }
          assertThat(Math.abs(h.get(r, c) - Math.max(0, sum))).isLessThan(1e-4);
          float passed = h.get(r, c) > 0 ? grad.get(r, c) : 0;
          assertThat(masked.get(r, c)).isEqualTo(passed);
          sums[in][c] += passed;
          for (int k = 0; k < in; k++) {
            sums[k][c] += (double) x.get(r, k) * passed;
          }
        }
      }
      for (int c = 0; c < out; c++) {
        // Run twice: gradients are added to.
        assertThat(Math.abs(db.get(0, c) - 2 * sums[in][c])).isLessThan(1e-5 * rows + 1e-4);
        for (int k = 0; k < in; k++) {
          assertThat(Math.abs(dw.get(k, c) - 2 * sums[k][c])).isLessThan(1e-5 * rows + 1e-4);
        }
      }
      firsts.add(dw.toArray());
      firsts.add(db.toArray());
    }
    assertThat(firsts.get(2)).isDeepEqualTo(firsts.get(0));
    assertThat(firsts.get(3)).isDeepEqualTo(firsts.get(1));
  }

  /** A hub among rows of few arcs, and some rows with none. */
  @ParameterizedTest
  @ValueSource(ints = {1, 9, 40, 130})
  void gatheredRowsEqualThoseOfTheWholeGather(int cols) {
    int rows = 700;
    int[][] columns = new int[rows][];
    for (int r = 0; r < rows; r++) {
      columns[r] = random.ints(r == 300 ? 20_000 : r % 4, 0, rows).toArray();
    }
    Csr arcs = Csr.of(memory, rows, columns);
    var ones = memory.allocateFloats(rows);
    for (int r = 0; r < rows; r++) {
      ones.setAtIndex(JAVA_FLOAT, r, 1 + r % 3);
    }
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, cols);
    SumGather gather = SumGather.over(arcs, Coefficients.perSource(ones), null, partials);
    Matrix x = gaussian(rows, cols);
    HalfMatrix half = HalfMatrix.allocate(memory, rows, cols);
    HalfMatrix _ = new HalfCopy(half).run(teams.getFirst(), rows, x);
    var scratch = memory.allocate(RowSumGather.scratchBytes(cols));
    for (ThreadTeam team : teams) {
      Matrix whole = Matrix.allocate(memory, rows, cols);
      Matrix byRows = Matrix.allocate(memory, rows, cols);
      gather.run(team, x, whole, false);
      new RowChain(List.of(RowSumGather.of(gather, x, byRows, scratch))).run(team, rows);
      assertThat(byRows.toArray()).isDeepEqualTo(whole.toArray());
      gather.run(team, half, whole, false);
      new RowChain(List.of(RowSumGather.of(gather, half, byRows, scratch))).run(team, rows);
      assertThat(byRows.toArray()).isDeepEqualTo(whole.toArray());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 31, 128})
  void copiesRowsOfEitherWidth(int cols) {
    int rows = 600;
    Matrix x = gaussian(rows, cols);
    HalfMatrix half = HalfMatrix.allocate(memory, rows, cols);
    HalfMatrix _ = new HalfCopy(half).run(teams.getFirst(), rows, x);
    var ids = memory.allocateInts(rows);
    for (int r = 0; r < rows; r++) {
      ids.setAtIndex(JAVA_INT, r, random.nextInt(rows));
    }
    RowIds chosen = new RowIds(ids);
    Matrix full = Matrix.allocate(memory, rows, cols);
    Matrix widened = Matrix.allocate(memory, rows, cols);
    Matrix scalar = Matrix.allocate(memory, rows, cols);
    new RowChain(List.of(RowCopy.of(x, chosen, full), RowCopy.of(half, chosen, widened)))
        .run(teams.getLast(), rows);
    for (int r = 0; r < rows; r++) {
      new ScalarRows().widen(half, chosen.at(r), scalar, r);
      for (int c = 0; c < cols; c++) {
        assertThat(full.get(r, c)).isEqualTo(x.get(chosen.at(r), c));
        assertThat(widened.get(r, c)).isEqualTo(scalar.get(r, c));
        assertThat(scalar.get(r, c)).isEqualTo(half.get(chosen.at(r), c));
      }
    }
  }

  @Test
  void refusesShapesThatDoNotFit() {
    Matrix x = gaussian(4, 3);
    Matrix w = gaussian(2, 3);
    RowChain chain = new RowChain(List.of(new RowProduct(x, w, x, false)));
    assertThatThrownBy(() -> chain.run(teams.getFirst(), 4))
        .isInstanceOf(IllegalArgumentException.class);
    RowChain tooMany = new RowChain(List.of(new RowProduct(x, gaussian(3, 3), x, false)));
    assertThatThrownBy(() -> tooMany.run(teams.getFirst(), 5))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
