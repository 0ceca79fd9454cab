package dev.heddle.nn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.heddle.graph.Block;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.IntStream;

/** Values that torch computed, from the files that {@code make_fixtures.py} wrote. */
final class Fixture implements AutoCloseable {
  private final Memory memory = new Memory();
  private final Safetensors file;

  private Fixture(Safetensors file) {
    this.file = file;
  }

  static Fixture open(String name) {
    URL url =
        Objects.requireNonNull(
            Fixture.class.getResource("/fixtures/" + name + ".safetensors"), name);
    try {
      return new Fixture(Safetensors.open(Path.of(url.toURI())));
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  Memory memory() {
    return memory;
  }

  Matrix matrix(String name) {
    return file.matrix(memory, name);
  }

  /** Reads a tensor into a matrix of its shape. */
  void matrixInto(String name, Matrix target) {
    file.read(name, target);
  }

  int[] ints(String name) {
    return file.ints(name);
  }

  float number(String name) {
    return matrix(name).get(0, 0);
  }

  boolean has(String name) {
    return file.tensors().containsKey(name);
  }

  /** The fixture's arcs as a block from all rows of {@code x} to the destinations. */
  Block block(boolean selfLoops) {
    int sources = matrix("x").rows();
    int destinations = has("n_dst") ? ints("n_dst")[0] : sources;
    int[] src = ints("src");
    int[] dst = ints("dst");
    int[][] rows = new int[destinations][];
    float[][] weights = new float[destinations][];
    Matrix weight = has("arc_weight") ? matrix("arc_weight") : null;
    for (int v = 0; v < destinations; v++) {
      int row = v;
      int[] arcs =
          IntStream.range(0, src.length)
              .filter(i -> dst[i] == row)
              .boxed()
              .sorted(Comparator.comparingInt(i -> src[i]))
              .mapToInt(Integer::intValue)
              .toArray();
      rows[v] = Arrays.stream(arcs).map(i -> src[i]).toArray();
      weights[v] = new float[arcs.length];
      for (int i = 0; i < arcs.length; i++) {
        weights[v][i] = weight == null ? 1 : element(weight, arcs[i]);
      }
    }
    Csr csr = Csr.of(memory, sources, rows);
    if (weight != null) {
      var values = memory.allocateFloats(csr.arcs());
      long at = 0;
      for (float[] row : weights) {
        for (float w : row) {
          values.setAtIndex(JAVA_FLOAT, at++, w);
        }
      }
      csr = csr.withWeights(values);
    }
    return Block.of(memory, selfLoops ? SelfLoops.added(memory, csr) : csr);
  }

  /** An element of a vector, whichever way it is laid out as a matrix. */
  private static float element(Matrix vector, int i) {
    return vector.rows() == 1 ? vector.get(0, i) : vector.get(i, 0);
  }

  /** Every value within 1e-5 of torch's, relative to the larger of 1 and its size. */
  void assertMatches(String name, Matrix actual, int rows) {
    Matrix expected = matrix(name);
    assertThat(rows).as("rows of %s", name).isEqualTo(expected.rows());
    assertThat(actual.cols()).as("columns of %s", name).isEqualTo(expected.cols());
    for (int r = 0; r < expected.rows(); r++) {
      for (int c = 0; c < expected.cols(); c++) {
        float want = expected.get(r, c);
        float got = actual.get(r, c);
        if (!(Math.abs(got - want) <= 1e-5 * Math.max(1, Math.abs(want)))) {
          fail("%s[%d, %d] is %s, torch has %s", name, r, c, got, want);
        }
      }
    }
  }

  @Override
  public void close() {
    file.close();
    memory.close();
  }
}
