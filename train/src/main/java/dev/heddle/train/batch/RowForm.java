package dev.heddle.train.batch;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowRounding;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** How a row of features looks on its way from one worker to another. */
public sealed interface RowForm {
  /** Rows as they are, without padding: 4 bytes an element. */
  RowForm AS_IT_IS = new AsItIs();

  /** Bytes of a row. */
  long bytes(int cols);

  /** Whether rows of a matrix lie in it as they travel. */
  boolean liesIn(Matrix matrix);

  /** Writes a row of the features that this worker has. */
  void write(Matrix from, int row, MemorySegment to, long at);

  /** Reads what another worker wrote. */
  void read(MemorySegment from, long at, Matrix to, int row);

  /** See {@link #AS_IT_IS}. */
  record AsItIs() implements RowForm {
    @Override
    public long bytes(int cols) {
      return (long) cols * Float.BYTES;
    }

    @Override
    public boolean liesIn(Matrix matrix) {
      return matrix.stride() == matrix.cols();
    }

    @Override
    public void write(Matrix from, int row, MemorySegment to, long at) {
      MemorySegment.copy(from.data(), from.offset(row), to, at, bytes(from.cols()));
    }

    @Override
    public void read(MemorySegment from, long at, Matrix to, int row) {
      MemorySegment.copy(from, at, to.data(), to.offset(row), bytes(to.cols()));
    }
  }

  /**
   * Rows rounded without bias to 2, 4 or 8 bits an element, {@code 4 + ⌈width · bits / 8⌉} bytes
   * each. Features do not change and the key is one for the whole run, so that a vertex has the
   * same rounded row whenever it travels: what is loaded together, ahead or into a cache changes no
   * bit, and it is as if features had been rounded once when they were read, without a second copy
   * of them in memory. Whoever owns a row has it as it is.
   *
   * @param vertices of this worker's rows; none where rows are found by the vertices' numbers
   */
  record Rounded(RowRounding rounding, @Nullable RowIds vertices) implements RowForm {
    @Override
    public long bytes(int cols) {
      return rounding.bytes(cols);
    }

    @Override
    public boolean liesIn(Matrix matrix) {
      return false;
    }

    @Override
    public void write(Matrix from, int row, MemorySegment to, long at) {
      rounding.pack(from, row, vertices == null ? row : vertices.at(row), to, at);
    }

    @Override
    public void read(MemorySegment from, long at, Matrix to, int row) {
      rounding.unpack(from, at, to, row);
    }
  }
}
