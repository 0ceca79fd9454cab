package dev.heddle.nn.program;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Workers;

/**
 * The sources of a hop that other workers have: they follow this worker's own rows. All workers
 * call the same methods in the same order.
 */
public interface Halo {
  /** Says, while a program is recorded, that rows of this width will travel. */
  void expect(int cols);

  /** Fills the halo's rows of a matrix, and gives others those of its own rows that they need. */
  void fetch(Workers workers, Matrix rows);

  /** The adjoint: gives the halo's rows to their owners, and adds what others give to its own. */
  void giveBack(Workers workers, Matrix gradient);
}
