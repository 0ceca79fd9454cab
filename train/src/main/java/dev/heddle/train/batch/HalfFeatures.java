package dev.heddle.train.batch;

import dev.heddle.kernel.HalfCopy;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;

/** Features rounded to bfloat16: batches read half the bytes, in half the memory. */
final class HalfFeatures {
  private static final long STRETCH_BYTES = 1 << 25;

  private HalfFeatures() {}

  /** Rounds a stretch at a time and gives it back: mapped features are never in memory whole. */
  static HalfMatrix of(Matrix features, ThreadTeam team, Memory memory) {
    HalfMatrix all = HalfMatrix.allocate(memory, features.rows(), features.cols());
    int most = stretch(features);
    for (int row = 0; row < features.rows(); row += Math.min(most, features.rows() - row)) {
      int rows = Math.min(most, features.rows() - row);
      Matrix stretch = features.slice(row, row + rows);
      HalfMatrix _ = new HalfCopy(all.slice(row, row + rows)).run(team, rows, stretch);
      stretch.unload();
    }
    return all;
  }

  /** Rounds the features of some vertices, of which no others are read. */
  static HalfMatrix of(Matrix features, int[] vertices, ThreadTeam team, Memory memory) {
    HalfMatrix all = HalfMatrix.allocate(memory, vertices.length, features.cols());
    int most = stretch(features);
    RowGather gather = new RowGather();
    for (int row = 0; row < vertices.length; row += Math.min(most, vertices.length - row)) {
      int rows = Math.min(most, vertices.length - row);
      try (Memory scratch = memory.child()) {
        RowIds chosen = RowIds.of(scratch, Arrays.copyOfRange(vertices, row, row + rows));
        Matrix copied = Matrix.allocate(scratch, rows, features.cols());
        gather.run(team, features, chosen, rows, copied);
        HalfMatrix _ = new HalfCopy(all.slice(row, row + rows)).run(team, rows, copied);
      }
    }
    return all;
  }

  private static int stretch(Matrix features) {
    return (int) Math.max(1, STRETCH_BYTES / Matrix.bytes(1, features.cols()));
  }
}
