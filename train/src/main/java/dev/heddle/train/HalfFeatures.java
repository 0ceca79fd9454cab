package dev.heddle.train;

import dev.heddle.kernel.HalfCopy;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;

/** Features rounded to bfloat16: batches read half the bytes, in half the memory. */
final class HalfFeatures {
  private static final long STRETCH_BYTES = 1 << 25;

  private HalfFeatures() {}

  /** Rounds a stretch at a time and gives it back: mapped features are never in memory whole. */
  static HalfMatrix of(Matrix features, ThreadTeam team, Memory memory) {
    HalfMatrix all = HalfMatrix.allocate(memory, features.rows(), features.cols());
    int most = (int) Math.max(1, STRETCH_BYTES / Matrix.bytes(1, features.cols()));
    for (int row = 0; row < features.rows(); row += Math.min(most, features.rows() - row)) {
      int rows = Math.min(most, features.rows() - row);
      Matrix stretch = features.slice(row, row + rows);
      HalfMatrix _ = new HalfCopy(all.slice(row, row + rows)).run(team, rows, stretch);
      stretch.unload();
    }
    return all;
  }
}
