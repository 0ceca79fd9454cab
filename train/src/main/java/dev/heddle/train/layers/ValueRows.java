package dev.heddle.train.layers;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.settings.LayerSplit.Compensation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one value at all chunks of a worker, {@code rows × cols} matrices by {@link
 * ChunkRows}: those of this forward, those of history, and gradients. A worker's forwards are all
 * done before its first backward, and history is renewed in between, so that gradients take the
 * place of the first.
 */
final class ValueRows {
  private final String name;
  private final Travelling value;
  private final Matrix live;
  private final @Nullable Matrix history;
  private final @Nullable CarriedGradients carried;
  private final Memory memory;

  /**
   * Rows of a value; of one that never changes, only until everyone has fetched what it needs.
   *
   * @param name in files
   */
  ValueRows(
      String name, Travelling value, ChunkRows rows, Compensation compensation, Memory parent) {
    this.name = name;
    this.value = value;
    memory = parent.child();
    live = Matrix.allocate(memory, rows.all(), value.cols());
    history = value.once() ? null : Matrix.allocate(memory, rows.all(), value.cols());
    carried =
        compensation == Compensation.CARRIED && value.learnt()
            ? new CarriedGradients(rows, value.cols(), memory)
            : null;
  }

  String name() {
    return name;
  }

  Travelling value() {
    return value;
  }

  /** Rows of this forward, where they are made already. */
  Matrix live() {
    return live;
  }

  /** Rows of an earlier epoch. */
  Matrix history() {
    if (history == null) {
      throw new IllegalStateException("rows that never change have no history");
    }
    return history;
  }

  /** Sums of gradients, in the place of {@link #live}. */
  Matrix gradients() {
    return live;
  }

  /** What chunks gave in the epoch before; none where nobody asks for it. */
  @Nullable CarriedGradients carried() {
    return carried;
  }

  /** Makes the rows of this forward those of history. */
  void renewHistory() {
    if (history != null) {
      MemorySegment.copy(live.data(), 0, history.data(), 0, live.offset(live.rows()));
    }
  }

  void zeroGradients() {
    live.data().fill((byte) 0);
  }

  /** Gives memory back that is not needed when all have what never changes. */
  void constantsAreThere() {
    if (value.once()) {
      memory.close();
    }
  }
}
