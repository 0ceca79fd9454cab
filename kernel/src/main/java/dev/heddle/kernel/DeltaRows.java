package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Listed rows of a matrix as they travel where both ends remember what they were last: {@link
 * QuantisedRows} of how they changed, {@code δ = h − ĥ}, after which both add the same {@code δ̂}
 * to their {@code ĥ}. The expectation of {@code ĥ} is {@code h}, as without; its error is of the
 * range of the change, which shrinks as training settles.
 *
 * <p>To begin with {@code ĥ} is zero. The two ends have the same bits as long as every message that
 * one packs is unpacked or added by the other, once and in order. In steady state nothing is
 * allocated.
 */
public final class DeltaRows {
  private final RowIds list;
  private final QuantisedRows changes;
  private final Matrix last;
  private final Matrix room;
  private final RowGather gather = new RowGather();
  private final Combine combine = new Combine();
  private final RowLoop putLoop = new RowLoop(this::putRows);
  private final RowLoop addLoop = new RowLoop(this::addRows);
  private Matrix target = Matrix.EMPTY;

  private DeltaRows(Memory memory, int[] rows, QuantisedRows changes, Matrix room) {
    if (changes.count() != rows.length || room.rows() < rows.length) {
      throw new IllegalArgumentException(
          rows.length + " rows do not fit " + changes.count() + " changes and room for " + room);
    }
    list = RowIds.of(memory, rows);
    this.changes = changes;
    this.room = room;
    last = Matrix.allocate(memory, rows.length, room.cols());
  }

  /**
   * A list of rows, none of them twice.
   *
   * @param changes as many rows, from the first on: one for each of the list
   * @param room for the changes, as wide as all matrices will be; may be shared by lists that are
   *     packed one after the other
   */
  public static DeltaRows of(Memory memory, int[] rows, QuantisedRows changes, Matrix room) {
    return new DeltaRows(memory, rows, changes, room);
  }

  /** Bytes outside the heap that a list takes, but for its changes and the room for them. */
  public static long memoryBytes(int rows, int cols) {
    return Matrix.bytes(rows, cols) + 4L * rows + 2 * Memory.ALIGNMENT;
  }

  public int count() {
    return changes.count();
  }

  /** How the rows' changes travel. */
  public QuantisedRows changes() {
    return changes;
  }

  /** What both ends remember of a position of the list. */
  public float remembered(int position, int column) {
    return last.get(position, column);
  }

  /** Writes how the listed rows changed to the beginning of a buffer, with draws of a key. */
  public void pack(ThreadTeam team, Matrix source, MemorySegment packed, long drawKey) {
    gather.run(team, source, list, count(), room);
    combine.scale(team, count(), -1, last, room, true);
    changes.pack(team, room, packed, drawKey);
    changes.add(team, packed, last);
  }

  /** Writes what packed changes make of the listed rows to these. */
  public void unpack(ThreadTeam team, MemorySegment packed, Matrix rows) {
    run(team, packed, rows, putLoop);
  }

  /** Adds it to these. */
  public void add(ThreadTeam team, MemorySegment packed, Matrix rows) {
    run(team, packed, rows, addLoop);
  }

  private void run(ThreadTeam team, MemorySegment packed, Matrix rows, RowLoop loop) {
    if (rows.cols() != last.cols()) {
      throw new IllegalArgumentException("cannot move rows as wide as " + last + " to " + rows);
    }
    changes.add(team, packed, last);
    target = rows;
    loop.run(team, count());
  }

  private void putRows(int from, int to) {
    long bytes = (long) last.stride() * Float.BYTES;
    for (int i = from; i < to; i++) {
      MemorySegment.copy(
          last.data(), last.offset(i), target.data(), target.offset(list.at(i)), bytes);
    }
  }

  private void addRows(int from, int to) {
    for (int i = from; i < to; i++) {
      PackedRows.addFloats(
          target.data(), target.offset(list.at(i)), last.data(), last.offset(i), last.cols());
    }
  }
}
