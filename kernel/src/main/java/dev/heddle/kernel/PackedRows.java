package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/**
 * Listed rows of a matrix that lie next to each other elsewhere, {@code cols × 4} bytes each
 * without padding, as they travel. Matrices and buffers change from call to call, which allocate
 * nothing; so does the list where someone {@linkplain #list gives another}.
 */
public final class PackedRows {
  private MemorySegment list = MemorySegment.NULL;
  private int first;
  private int count;
  private int end;
  private boolean consecutive;
  private final Task packTask = this::packBlock;
  private final Task unpackTask = this::unpackBlock;
  private final Task addTask = this::addBlock;

  private Matrix matrix = Matrix.EMPTY;
  private MemorySegment packed = MemorySegment.NULL;

  /** A list of rows, none of them twice. */
  public static PackedRows of(Memory memory, int[] rows) {
    MemorySegment list = memory.allocateInts(rows.length);
    MemorySegment.copy(rows, 0, list, JAVA_INT, 0, rows.length);
    PackedRows made = new PackedRows();
    made.list(list, 0, rows.length);
    return made;
  }

  /**
   * Takes another list, none of whose rows is there twice.
   *
   * @param rows ints, which must stay while they are listed
   * @param from the index of the first of them
   */
  public void list(MemorySegment rows, int from, int newCount) {
    int largest = -1;
    boolean inOrder = true;
    for (int i = 0; i < newCount; i++) {
      int row = rows.getAtIndex(JAVA_INT, (long) from + i);
      if (row < 0) {
        throw new IllegalArgumentException("there is no row " + row);
      }
      largest = Math.max(largest, row);
      inOrder &= row == rows.getAtIndex(JAVA_INT, from) + i;
    }
    list = rows;
    first = from;
    count = newCount;
    end = largest + 1;
    consecutive = inOrder;
  }

  public int count() {
    return count;
  }

  /** Bytes of all rows at a width. */
  public long bytes(int cols) {
    return (long) count * cols * Float.BYTES;
  }

  /** Whether rows of this width lie in a matrix as they lie when packed. */
  public boolean liesPacked(int cols) {
    return consecutive && cols == Matrix.strideOf(cols);
  }

  /** Position {@code i} of the list. */
  public int row(int i) {
    return list.getAtIndex(JAVA_INT, (long) first + i);
  }

  /** Copies the listed rows of a matrix to the beginning of a buffer. */
  public void pack(ThreadTeam team, Matrix source, MemorySegment target) {
    run(team, source, target, packTask);
  }

  /** Copies packed rows to the listed rows of a matrix. */
  public void unpack(ThreadTeam team, MemorySegment source, Matrix target) {
    run(team, target, source, unpackTask);
  }

  /** Adds packed rows to the listed rows of a matrix. */
  public void add(ThreadTeam team, MemorySegment source, Matrix target) {
    run(team, target, source, addTask);
  }

  /**
   * {@code into += x} for {@code count} floats, from byte offsets of each, in the calling thread.
   */
  public static void addFloats(
      MemorySegment into, long intoOffset, MemorySegment x, long xOffset, long count) {
    Kernels.pack().addFloats(into, intoOffset, x, xOffset, count);
  }

  private void run(ThreadTeam team, Matrix rows, MemorySegment buffer, Task task) {
    if (rows.rows() < end || buffer.byteSize() < bytes(rows.cols())) {
      throw new IllegalArgumentException(
          "cannot move "
              + count
              + " rows below "
              + end
              + " between "
              + rows
              + " and "
              + buffer.byteSize()
              + " bytes");
    }
    matrix = rows;
    packed = buffer;
    team.run(RowBlocks.tasks(count), task);
  }

  private void packBlock(int block) {
    Kernels.pack().pack(this, block * RowBlocks.ROWS, end(block));
  }

  private void unpackBlock(int block) {
    Kernels.pack().unpack(this, block * RowBlocks.ROWS, end(block));
  }

  private void addBlock(int block) {
    Kernels.pack().add(this, block * RowBlocks.ROWS, end(block));
  }

  private int end(int block) {
    return Math.min(count, (block + 1) * RowBlocks.ROWS);
  }

  Matrix matrix() {
    return matrix;
  }

  MemorySegment packed() {
    return packed;
  }

  /** Byte offset of a position among the packed rows. */
  long offset(int i) {
    return (long) i * matrix.cols() * Float.BYTES;
  }
}
