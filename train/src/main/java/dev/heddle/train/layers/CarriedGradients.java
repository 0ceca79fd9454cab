package dev.heddle.train.layers;

import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowScatter;
import dev.heddle.kernel.ThreadTeam;

/**
 * The gradients that each chunk gave for rows of its halo when it last went back, a {@code halo ×
 * cols} matrix for each: they stand for those of chunks that go back later. With parameters that
 * stay as they are, gradients become exact within about as many epochs as there are layers; with
 * parameters that move they are as old as history (docs/decisions.md).
 */
final class CarriedGradients {
  private final ChunkRows rows;
  private final Matrix[] last;
  private final Combine copy = new Combine();
  private final RowScatter add = new RowScatter();

  CarriedGradients(ChunkRows rows, int cols, Memory memory) {
    this.rows = rows;
    last = new Matrix[rows.chunks()];
    for (int c = 0; c < last.length; c++) {
      int halo = rows.part(c).sources() - rows.part(c).vertices();
      last[c] = Matrix.allocate(memory, halo, cols);
    }
  }

  /** What a chunk gave last. */
  Matrix last(int chunk) {
    return last[chunk];
  }

  /** Remembers what a chunk gives now. */
  void keep(ThreadTeam team, int chunk, Matrix halo) {
    copy.scale(team, halo.rows(), 1, halo, last[chunk], false);
  }

  /** Adds to a chunk's rows of all gradients what those gave last that have not gone back yet. */
  void addTo(ThreadTeam team, int chunk, EpochProgress progress, Matrix gradients) {
    for (int d = 0; d < last.length; d++) {
      if (d != chunk && !progress.wentBack(d)) {
        int own = rows.part(d).vertices();
        for (int part = chunk; part < rows.part(d).parts(); part += last.length) {
          int from = rows.part(d).firstHaloRow(part) - own;
          int to = rows.part(d).firstHaloRow(part + 1) - own;
          add.run(team, last[d], rows.haloPlaces(d), from, to, 1, gradients);
        }
      }
    }
  }
}
