package dev.heddle.nn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Small graphs with everything that goes wrong, and features for them. */
public final class RandomGraph {
  private final SplittableRandom random;
  private final Memory memory;
  private final int vertices;

  public RandomGraph(SplittableRandom random, Memory memory, int vertices) {
    this.random = random;
    this.memory = memory;
    this.vertices = vertices;
  }

  public int vertices() {
    return vertices;
  }

  /** Arcs with a hub that everybody points to, self-loops, multi-arcs and isolated vertices. */
  public Csr arcs() {
    int[] connected = IntStream.range(0, vertices).filter(v -> v % 7 != 3).toArray();
    int[][] rows = new int[vertices][];
    for (int v = 0; v < vertices; v++) {
      IntStream ids = IntStream.of();
      if (v == 0) {
        ids = IntStream.concat(Arrays.stream(connected), Arrays.stream(connected).limit(5));
      } else if (v % 7 != 3) {
        ids = random.ints(1 + v % 5, 0, connected.length).map(i -> connected[i]);
        ids = v % 5 == 0 ? IntStream.concat(ids, IntStream.of(v)) : ids;
      }
      rows[v] = ids.sorted().toArray();
    }
    return Csr.of(memory, vertices, rows);
  }

  public DenseFeatures dense(int width) {
    return new DenseFeatures(gaussian(vertices, width));
  }

  /** Features of some four values a row, and rows without any. */
  public SparseFeatures sparse(int width) {
    int[][] rows = new int[vertices][];
    for (int v = 0; v < vertices; v++) {
      rows[v] = random.ints(v % 6, 0, width).distinct().sorted().toArray();
    }
    Csr csr = Csr.of(memory, width, rows);
    MemorySegment values = memory.allocateFloats(csr.arcs());
    for (long i = 0; i < csr.arcs(); i++) {
      values.setAtIndex(JAVA_FLOAT, i, (float) random.nextGaussian());
    }
    return SparseFeatures.of(memory, csr.withWeights(values));
  }

  /** Normal values whose padding is NaN, so that nothing can depend on it unseen. */
  public Matrix gaussian(int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    m.fill(Float.NaN);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, (float) random.nextGaussian());
      }
    }
    return m;
  }
}
