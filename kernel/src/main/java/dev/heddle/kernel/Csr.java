package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A sparse matrix by rows, outside the heap: where each row's arcs begin (long), the column of each
 * arc (int) and, if there are any, the arcs' weights.
 *
 * <p>Inside a row of a graph, columns ascend; equal columns (multi-arcs) stand side by side. Arcs
 * of a sample stand as they were drawn.
 */
public final class Csr {
  private int rows;
  private int cols;
  private final MemorySegment offsets;
  private final MemorySegment ids;
  private final @Nullable MemorySegment weights;
  private @Nullable ArcTasks tasks;
  private @Nullable ArcTasks rowTasks;
  private int version;
  private int tasksVersion;
  private int rowTasksVersion;
  private int followed;

  private Csr(
      int rows,
      int cols,
      MemorySegment offsets,
      MemorySegment ids,
      @Nullable MemorySegment weights) {
    this.rows = rows;
    this.cols = cols;
    this.offsets = offsets;
    this.ids = ids;
    this.weights = weights;
  }

  /** Unweighted arcs: {@code rows + 1} long offsets and one int column per arc. */
  public static Csr of(int rows, int cols, MemorySegment offsets, MemorySegment ids) {
    return new Csr(rows, cols, offsets, ids, null);
  }

  /** These arcs with one weight each. */
  public Csr withWeights(@Nullable MemorySegment arcWeights) {
    Csr same = new Csr(rows, cols, offsets, ids, arcWeights);
    same.followed = version;
    return same;
  }

  /** Bytes of memory that so many rows and arcs take. */
  public static long bytes(int rows, long arcs, boolean weighted) {
    return Memory.padded(Long.BYTES * (rows + 1L)) + (weighted ? 2 : 1) * Memory.padded(4 * arcs);
  }

  /** Arcs from arrays, for small graphs and tests; {@code columns[r]} must ascend. */
  public static Csr of(Memory memory, int cols, int[][] columns) {
    long arcs = 0;
    MemorySegment offsets = memory.allocateLongs(columns.length + 1L);
    for (int r = 0; r < columns.length; r++) {
      arcs += columns[r].length;
      offsets.setAtIndex(JAVA_LONG, r + 1, arcs);
    }
    MemorySegment ids = memory.allocateInts(arcs);
    long at = 0;
    for (int[] row : columns) {
      for (int id : row) {
        ids.setAtIndex(JAVA_INT, at++, id);
      }
    }
    return of(columns.length, cols, offsets, ids);
  }

  /**
   * Says that the arcs were written anew, in the same memory: sampled arcs differ from batch to
   * batch. Offsets up to that of {@code newRows} must be in place.
   */
  public synchronized void rewritten(int newRows, int newCols) {
    if ((newRows + 1L) * Long.BYTES > offsets.byteSize()
        || offsets.getAtIndex(JAVA_LONG, newRows) * Integer.BYTES > ids.byteSize()) {
      throw new IllegalArgumentException(newRows + " rows do not fit the memory of " + this);
    }
    rows = newRows;
    cols = newCols;
    version++;
  }

  /** Does likewise when {@code other}, of which this is the same arcs with other weights, has. */
  public synchronized void follow(Csr other) {
    if (followed != other.version) {
      rewritten(other.rows, other.cols);
      followed = other.version;
    }
  }

  /** Changes whenever the arcs do. */
  int version() {
    return version;
  }

  public int rows() {
    return rows;
  }

  public int cols() {
    return cols;
  }

  public long arcs() {
    return offset(rows) - offset(0);
  }

  public MemorySegment offsets() {
    return offsets;
  }

  public MemorySegment ids() {
    return ids;
  }

  public @Nullable MemorySegment weights() {
    return weights;
  }

  /**
   * Rows {@code from} to {@code to} (exclusive), sharing this matrix's memory: arcs keep their
   * indices.
   */
  public Csr slice(int from, int to) {
    MemorySegment part = offsets.asSlice(8L * from, 8L * (to - from + 1));
    return new Csr(to - from, cols, part, ids, weights);
  }

  /** Index of the first arc of a row; a row's arcs end where those of the next begin. */
  public long offset(int row) {
    return offsets.getAtIndex(JAVA_LONG, row);
  }

  public int id(long arc) {
    return ids.getAtIndex(JAVA_INT, arc);
  }

  /** The arc's weight; 1 where there are none. */
  public float weight(long arc) {
    return weights == null ? 1 : weights.getAtIndex(JAVA_FLOAT, arc);
  }

  /** How loops over these arcs are cut, hubs split; made at first use and kept. */
  public synchronized ArcTasks tasks() {
    if (tasks == null) {
      tasks = ArcTasks.of(this);
      tasksVersion = version;
    } else if (tasksVersion != version) {
      tasks.cut(this);
      tasksVersion = version;
    }
    return tasks;
  }

  /** Tasks for loops that need a row's arcs together. */
  public synchronized ArcTasks rowTasks() {
    if (rowTasks == null) {
      rowTasks = ArcTasks.wholeRows(this);
      rowTasksVersion = version;
    } else if (rowTasksVersion != version) {
      rowTasks.cut(this);
      rowTasksVersion = version;
    }
    return rowTasks;
  }

  /** Arcs that there is memory for. */
  public long arcCapacity() {
    return ids.byteSize() / Integer.BYTES;
  }

  public long degree(int row) {
    return offset(row + 1) - offset(row);
  }

  /** Says that these arcs are not read again soon, see {@link Matrix#unload}. */
  public void unload() {
    MappedFiles.unload(ids);
  }

  @Override
  public String toString() {
    return "Csr[" + rows + " x " + cols + ", " + arcs() + " arcs]";
  }
}
