package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Dropout of the stored values of a sparse matrix. The draw is keyed by row and column, so that the
 * matrix and its transpose drop the same elements.
 */
public final class ValueDropout {
  private final Csr csr;
  private final MemorySegment values;
  private final MemorySegment dropped;
  private final boolean transposed;
  private @Nullable RowIds ids;
  private final Task task = this::range;
  private float rate;
  private long key;

  private ValueDropout(Csr csr, MemorySegment dropped, boolean transposed) {
    this.csr = csr;
    this.values = Objects.requireNonNull(csr.weights(), "a sparse matrix without values");
    this.dropped = dropped;
    this.transposed = transposed;
  }

  /**
   * Dropout from the values of {@code csr} into {@code dropped}, of the same length.
   *
   * @param transposed whether the rows of {@code csr} are the columns of the matrix meant
   */
  public static ValueDropout of(Csr csr, MemorySegment dropped, boolean transposed) {
    return new ValueDropout(csr, dropped, transposed);
  }

  /** Draws by these ids of the rows meant; by their indices where there are none. */
  public ValueDropout rowIds(@Nullable RowIds rowIds) {
    ids = rowIds;
    return this;
  }

  public void run(ThreadTeam team, float dropRate, long drawKey) {
    rate = dropRate;
    key = drawKey;
    team.run(csr.rowTasks().ranges(), task);
  }

  private void range(int index) {
    int threshold = Draws.dropThreshold(rate);
    float scale = 1 / (1 - rate);
    for (int row = csr.rowTasks().firstRow(index); row < csr.rowTasks().endRow(index); row++) {
      int own = transposed ? 0 : draw(row);
      for (long i = csr.offset(row), end = csr.offset(row + 1); i < end; i++) {
        int draw = transposed ? Draws.column(draw(csr.id(i)), row) : Draws.column(own, csr.id(i));
        boolean kept = rate == 0 || Integer.compareUnsigned(draw, threshold) >= 0;
        float value = values.getAtIndex(JAVA_FLOAT, i);
        dropped.setAtIndex(JAVA_FLOAT, i, kept ? value * scale : 0);
      }
    }
  }

  private int draw(int row) {
    return (int) Draws.at(key, ids == null ? row : ids.at(row));
  }
}
