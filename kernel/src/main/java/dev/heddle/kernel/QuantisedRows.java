package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Listed rows of a matrix as they travel at 2, 4 or 8 bits an element, each row at a width of its
 * own: stochastic rounding to a grid of {@code 2^bits} levels between the row's least and largest
 * value (AdaQP, Wan et al., 2023).
 *
 * <p>A row of D columns takes {@code 4 + ⌈D · bits / 8⌉} bytes: its {@link RowGrid}, then the
 * levels as {@link BitFields} has them. Rows of 2 bits come first, then those of 4 and of 8, each
 * in the order of the list. A value between two levels goes to the upper one with the probability
 * of its distance from the lower, so that its expectation is itself. The draw is keyed by the row's
 * id and the column: any cut and any number of threads gives a row the same bits.
 *
 * <p>Widths, matrices and buffers change, and so does the list where someone {@linkplain #list
 * gives another}. Packing and unpacking allocate nothing.
 */
public final class QuantisedRows {
  /** The widths there are. */
  private static final int[] WIDTHS = {2, 4, 8};

  private final MemorySegment list;
  private final MemorySegment positions;
  private final MemorySegment squaredRanges;
  private MemorySegment rows;
  private @Nullable RowIds ids;
  private int first;
  private int count;
  private int end;

  /** Whether the list is that of the beginning, whose rows may have widths of their own. */
  private boolean own = true;

  private final int[] starts = new int[WIDTHS.length + 1];
  private final long[] offsets = new long[WIDTHS.length];
  private final Task packTask = this::packBlock;
  private final Task unpackTask = this::unpackBlock;
  private final Task addTask = this::addBlock;

  private Matrix matrix = Matrix.EMPTY;
  private MemorySegment packed = MemorySegment.NULL;
  private long key;

  private QuantisedRows(Memory memory, int[] list, @Nullable RowIds ids) {
    count = list.length;
    this.ids = ids;
    this.list = memory.allocateInts(count);
    rows = memory.allocateInts(count);
    positions = memory.allocateInts(count);
    squaredRanges = memory.allocateFloats(count);
    int largest = -1;
    for (int row : list) {
      if (row < 0) {
        throw new IllegalArgumentException("there is no row " + row);
      }
      largest = Math.max(largest, row);
    }
    end = largest + 1;
    MemorySegment.copy(list, 0, this.list, JAVA_INT, 0, count);
  }

  /**
   * A list of rows, none of them twice, all at one width.
   *
   * @param ids what draws are keyed by; rows' indices where there are none
   */
  public static QuantisedRows of(Memory memory, int[] rows, @Nullable RowIds ids, int bits) {
    QuantisedRows made = new QuantisedRows(memory, rows, ids);
    byte[] widths = new byte[rows.length];
    Arrays.fill(widths, (byte) bits);
    made.widths(widths);
    return made;
  }

  /** Bytes outside the heap that a list takes. */
  public static long memoryBytes(int rows) {
    return 4 * ((4L * rows + Memory.ALIGNMENT) / Memory.ALIGNMENT * Memory.ALIGNMENT);
  }

  /**
   * Takes another list, none of whose rows is there twice: from now on all rows have one width, and
   * nobody remembers how far their values lie apart.
   *
   * @param newRows ints, which must stay while they are listed
   * @param from the index of the first of them
   * @param newIds what draws are keyed by
   */
  public void list(MemorySegment newRows, int from, int newCount, RowIds newIds, int bits) {
    int w = Arrays.binarySearch(WIDTHS, bits);
    if (w < 0) {
      throw new IllegalArgumentException("rows travel at 2, 4 or 8 bits an element");
    }
    int largest = -1;
    for (int i = 0; i < newCount; i++) {
      largest = Math.max(largest, newRows.getAtIndex(JAVA_INT, (long) from + i));
    }
    own = false;
    rows = newRows;
    first = from;
    count = newCount;
    ids = newIds;
    end = largest + 1;
    for (int i = 0; i <= WIDTHS.length; i++) {
      starts[i] = i <= w ? 0 : count;
    }
  }

  /** Gives every position of the list its number of bits. */
  public void widths(byte[] bits) {
    if (!own) {
      throw new IllegalStateException("rows of lists that change have one width");
    }
    if (bits.length != count) {
      throw new IllegalArgumentException(bits.length + " widths are not one for each of " + count);
    }
    int at = 0;
    for (int w = 0; w < WIDTHS.length; w++) {
      starts[w] = at;
      for (int i = 0; i < count; i++) {
        if (bits[i] == WIDTHS[w]) {
          positions.setAtIndex(JAVA_INT, at, i);
          rows.setAtIndex(JAVA_INT, at, list.getAtIndex(JAVA_INT, i));
          at++;
        }
      }
    }
    starts[WIDTHS.length] = at;
    if (at != count) {
      throw new IllegalArgumentException("rows travel at 2, 4 or 8 bits an element");
    }
  }

  public int count() {
    return count;
  }

  /** How many rows have a width. */
  public int count(int bits) {
    int w = Arrays.binarySearch(WIDTHS, bits);
    return w < 0 ? 0 : starts[w + 1] - starts[w];
  }

  /** Bytes of one row. */
  public static long rowBytes(int bits, int cols) {
    return RowGrid.BYTES + BitFields.bytes(cols, bits);
  }

  /** Bytes of all rows at their widths. */
  public long bytes(int cols) {
    long bytes = 0;
    for (int w = 0; w < WIDTHS.length; w++) {
      bytes += (starts[w + 1] - starts[w]) * rowBytes(WIDTHS[w], cols);
    }
    return bytes;
  }

  /** Writes the listed rows of a matrix to the beginning of a buffer, with draws of a key. */
  public void pack(ThreadTeam team, Matrix source, MemorySegment target, long drawKey) {
    key = drawKey;
    run(team, source, target, packTask);
  }

  /** Writes packed rows to the listed rows of a matrix. */
  public void unpack(ThreadTeam team, MemorySegment source, Matrix target) {
    run(team, target, source, unpackTask);
  }

  /** Adds packed rows to the listed rows of a matrix. */
  public void add(ThreadTeam team, MemorySegment source, Matrix target) {
    run(team, target, source, addTask);
  }

  /**
   * The sum of {@code (max − min)²} of a position's row over all packings since {@link
   * #clearRanges}: what its rounding costs grows with it.
   */
  public float squaredRange(int position) {
    return squaredRanges.getAtIndex(JAVA_FLOAT, position);
  }

  public void clearRanges() {
    squaredRanges.fill((byte) 0);
  }

  private void run(ThreadTeam team, Matrix target, MemorySegment buffer, Task task) {
    long bytes = bytes(target.cols());
    if (target.rows() < end || buffer.byteSize() < bytes) {
      throw new IllegalArgumentException(
          "cannot move "
              + count
              + " rows below "
              + end
              + " between "
              + target
              + " and "
              + buffer.byteSize()
              + " bytes");
    }
    matrix = target;
    packed = buffer;
    long at = 0;
    for (int w = 0; w < WIDTHS.length; w++) {
      offsets[w] = at;
      at += (starts[w + 1] - starts[w]) * rowBytes(WIDTHS[w], target.cols());
    }
    team.run(RowBlocks.tasks(count), task);
  }

  private void packBlock(int block) {
    for (int w = 0; w < WIDTHS.length; w++) {
      for (int place = first(block, w), end = end(block, w); place < end; place++) {
        int row = row(place);
        ranged(
            place,
            Kernels.quant().pack(matrix, row, WIDTHS[w], draw(row), packed, offset(w, place)));
      }
    }
  }

  private void unpackBlock(int block) {
    for (int w = 0; w < WIDTHS.length; w++) {
      for (int place = first(block, w), end = end(block, w); place < end; place++) {
        Kernels.quant().unpack(packed, offset(w, place), WIDTHS[w], matrix, row(place));
      }
    }
  }

  private void addBlock(int block) {
    for (int w = 0; w < WIDTHS.length; w++) {
      for (int place = first(block, w), end = end(block, w); place < end; place++) {
        Kernels.quant().add(packed, offset(w, place), WIDTHS[w], matrix, row(place));
      }
    }
  }

  private int first(int block, int w) {
    return Math.max(starts[w], block * RowBlocks.ROWS);
  }

  private int end(int block, int w) {
    return Math.min(starts[w + 1], block * RowBlocks.ROWS + RowBlocks.ROWS);
  }

  /** The row of the matrix at a place of the order. */
  private int row(int place) {
    return rows.getAtIndex(JAVA_INT, (long) first + place);
  }

  /** The random bits of a row. */
  private int draw(int row) {
    return (int) Draws.at(key, ids == null ? row : ids.at(row));
  }

  /** Byte offset of a place among those of its width. */
  private long offset(int w, int place) {
    return offsets[w] + (place - starts[w]) * rowBytes(WIDTHS[w], matrix.cols());
  }

  /** Remembers how far the values of the row at a place lie apart. */
  private void ranged(int place, float range) {
    if (!own) {
      return;
    }
    int position = positions.getAtIndex(JAVA_INT, place);
    float sum = squaredRanges.getAtIndex(JAVA_FLOAT, position);
    squaredRanges.setAtIndex(JAVA_FLOAT, position, sum + range * range);
  }
}
