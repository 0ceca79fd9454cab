package dev.heddle.nn.program;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;

/** The way of one value's rows to the halos of other workers, and of their gradients back. */
public interface Passage {
  /**
   * Gives others those of this worker's rows that they need, and makes ready to receive the halo's
   * rows, which must not be touched before {@link #finish}.
   */
  void start(ThreadTeam team, Matrix rows, Step step);

  /** Waits until the halo's rows are there. */
  void finish(ThreadTeam team);

  /**
   * The adjoint: gives the halo's rows of a gradient to their owners. This worker's own rows may
   * still change until {@link #finishBack}.
   */
  void startBack(ThreadTeam team, Matrix gradient, Step step);

  /** Waits for what others give back, and adds it to this worker's own rows. */
  void finishBack(ThreadTeam team);
}
