package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Rows of several workers and who needs which of them; all follow from a seed. */
record SomeRows(long seed) {
  /** Of each worker. */
  static final int OWN = 160;

  /** Everyone has as many rows, and needs some of everyone else's, of one other's none. */
  RowExchange.Routes routes(int me, int workers) {
    int[][] sent = new int[workers][];
    int[][] received = new int[workers][];
    int next = OWN;
    for (int peer = 0; peer < workers; peer++) {
      sent[peer] = wanted(me, peer);
      int[] theirs = wanted(peer, me);
      int first = next;
      received[peer] = IntStream.range(0, theirs.length).map(i -> first + i).toArray();
      next += theirs.length;
    }
    return new RowExchange.Routes(sent, received);
  }

  int[] wanted(int owner, int reader) {
    if (owner == reader || (reader == owner + 1 && owner > 0)) {
      return new int[0];
    }
    SplittableRandom some = new SplittableRandom(seed + 31L * owner + reader);
    return IntStream.range(0, OWN).filter(_ -> some.nextInt(3) > 0).toArray();
  }

  /** Own rows and halo. */
  static int count(RowExchange.Routes routes) {
    return OWN + Arrays.stream(routes.received()).mapToInt(l -> l.length).sum();
  }

  /** Own rows of a worker, with room for a halo of NaN. */
  Matrix own(Memory memory, int me, int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    m.fill(Float.NaN);
    for (int r = 0; r < OWN; r++) {
      m.setRow(r, row(me, r, cols));
    }
    return m;
  }

  float[] row(int worker, int row, int cols) {
    SplittableRandom values = new SplittableRandom(seed ^ (worker * 1_000_003L + row));
    float[] made = new float[cols];
    for (int c = 0; c < cols; c++) {
      made[c] = (float) values.nextGaussian();
    }
    return made;
  }
}
