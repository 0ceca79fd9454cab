package dev.heddle.comm;

import dev.heddle.kernel.DeltaRows;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.RowIds;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How rows look on the wire. Nothing here knows what rows are of: any exchange can have any codec.
 */
public sealed interface Codec {
  /** Rows as they are, without padding: width × 4 bytes each. */
  Codec FP32 = new AsTheyAre();

  /** The most bytes that so many rows of a width can take. */
  long maxBytes(int rows, int width);

  /** Throws where rounds cannot have so many columns. */
  void checkCols(int cols);

  /** Bytes of memory for a list of rows, their buffer aside. */
  long memoryBytes(int rows);

  /**
   * A list of rows of one matrix of an exchange.
   *
   * @param haloSide whether that is the halo; else the source
   */
  RowCoder coder(Memory memory, int[] rows, boolean haloSide);

  /** See {@link #FP32}. */
  record AsTheyAre() implements Codec {
    @Override
    public long maxBytes(int rows, int width) {
      return (long) rows * width * Float.BYTES;
    }

    @Override
    public void checkCols(int cols) {
      // Rounds may have any number of them.
    }

    @Override
    public long memoryBytes(int rows) {
      return 4L * rows + 64;
    }

    @Override
    public RowCoder coder(Memory memory, int[] rows, boolean haloSide) {
      return new Fp32Rows(memory, rows);
    }
  }

  /**
   * Rows rounded without bias to 2, 4 or 8 bits an element, {@code 4 + ⌈width · bits / 8⌉} bytes
   * each; see {@link QuantisedRows}.
   *
   * @param bits of all rows until {@link RowExchange#assign} says otherwise
   * @param sourceIds what draws are keyed by: rows of the source matrix; none for their indices
   * @param haloIds rows of the halo matrix
   */
  record Quantised(int bits, @Nullable RowIds sourceIds, @Nullable RowIds haloIds)
      implements Codec {
    /** An exchange inside one matrix, or where rows have the same ids at both ends. */
    public static Quantised of(int bits, @Nullable RowIds ids) {
      return new Quantised(bits, ids, ids);
    }

    @Override
    public long maxBytes(int rows, int width) {
      return rows * QuantisedRows.rowBytes(8, width);
    }

    @Override
    public void checkCols(int cols) {
      // Rounds may have any number of them.
    }

    @Override
    public long memoryBytes(int rows) {
      return QuantisedRows.memoryBytes(rows);
    }

    @Override
    public RowCoder coder(Memory memory, int[] rows, boolean haloSide) {
      return new RoundedRows(QuantisedRows.of(memory, rows, ids(haloSide), bits), bits);
    }

    private @Nullable RowIds ids(boolean haloSide) {
      return haloSide ? haloIds : sourceIds;
    }
  }

  /**
   * What changed since the last message, rounded likewise: as many bytes, and a smaller error where
   * rows change little. Both ends remember every row, see {@link DeltaRows}; an exchange that is
   * made anew begins from zero at both. For exchanges of one width.
   *
   * @param rounding how changes are rounded
   * @param room for the changes of the longest list, as wide as all rows; exchanges that one thread
   *     starts may share it
   */
  record Changes(Quantised rounding, Matrix room) implements Codec {
    @Override
    public long maxBytes(int rows, int width) {
      return rounding.maxBytes(rows, width);
    }

    @Override
    public void checkCols(int cols) {
      if (cols != room.cols()) {
        throw new IllegalArgumentException(
            "changes of rows of " + room.cols() + " columns cannot be those of " + cols);
      }
    }

    @Override
    public long memoryBytes(int rows) {
      return rounding.memoryBytes(rows) + DeltaRows.memoryBytes(rows, room.cols()) + 4L * rows + 64;
    }

    @Override
    public RowCoder coder(Memory memory, int[] rows, boolean haloSide) {
      int[] positions = IntStream.range(0, rows.length).toArray();
      RowIds ids = rounding.ids(haloSide);
      int[] names = ids == null ? rows : IntStream.of(rows).map(ids::at).toArray();
      QuantisedRows changes =
          QuantisedRows.of(memory, positions, RowIds.of(memory, names), rounding.bits);
      return new ChangedRows(DeltaRows.of(memory, rows, changes, room));
    }
  }
}
