package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Gives vertices row numbers in the order in which arcs first name them, and puts these in the
 * place of the vertices; all threads at once, with the same result for any number of them.
 *
 * <p>A table has an int for each vertex of the graph: its row. Neighbours are mostly close to each
 * other, and so are then their entries, which a hash would scatter. While arcs are being looked at,
 * a vertex without a row has instead, counted on from the last row, the lowest index of an arc that
 * names it: lower wins, whichever thread comes first. The arcs at those indices, counted in order,
 * are the new rows.
 *
 * <p>Nothing is cleared from batch to batch: the numbers of a batch begin above all that there were
 * before, and what is below is no row.
 */
final class RowNumbers {
  private static final int BLOCK = 4096;
  private static final VarHandle ENTRY = JAVA_INT.arrayElementVarHandle();

  private final ThreadTeam team;
  private final MemorySegment table;
  private final int vertexCount;
  private final Task clearTask = this::clear;
  private final Task enterTask = this::enter;
  private final Task claimTask = this::claim;
  private final Task countTask = this::countFirsts;
  private final Task nameTask = this::nameFirsts;
  private final Task replaceTask = this::replace;

  private int[] firsts = new int[16];
  private MemorySegment vertices = MemorySegment.NULL;
  private MemorySegment ids = MemorySegment.NULL;
  private int rows;
  private int arcs;

  /** The entry of row 0; lower ones are of batches before. Never 0, which is in a new table. */
  private int first;

  /** Higher than any entry. */
  private int next;

  /** Numbers for a graph of so many vertices. */
  RowNumbers(ThreadTeam team, Memory memory, int vertexCount) {
    this(team, memory, vertexCount, 1);
  }

  /** Numbers whose first entry is {@code next}, as after many batches. */
  RowNumbers(ThreadTeam team, Memory memory, int vertexCount, int next) {
    this.team = team;
    this.vertexCount = vertexCount;
    this.next = next;
    first = next;
    table = memory.allocateInts(vertexCount);
  }

  /**
   * Forgets all rows and begins with these, which are distinct.
   *
   * @param listed ints: the vertex of each row
   */
  void begin(MemorySegment listed, int count) {
    vertices = listed;
    rows = count;
    first = next;
    if (!reserve(count)) {
      team.run(blocks(rows), enterTask);
    }
  }

  /** Makes room for so many entries from the first; returns whether all were written anew. */
  private boolean reserve(long count) {
    boolean over = first + count > Integer.MAX_VALUE;
    if (over) {
      team.run(blocks(vertexCount), clearTask);
      first = 1;
      team.run(blocks(rows), enterTask);
    }
    next = Math.max(over ? 0 : next, Math.toIntExact(first + count));
    return over;
  }

  private static int blocks(int count) {
    return (int) ((count + BLOCK - 1L) / BLOCK);
  }

  private void clear(int block) {
    for (int v = block * BLOCK, end = (int) Math.min(vertexCount, v + (long) BLOCK); v < end; v++) {
      table.setAtIndex(JAVA_INT, v, 0);
    }
  }

  private void enter(int block) {
    for (int row = block * BLOCK, end = Math.min(rows, row + BLOCK); row < end; row++) {
      table.setAtIndex(JAVA_INT, vertices.getAtIndex(JAVA_INT, row), first + row);
    }
  }

  /**
   * Readies the table for a hop of so many arcs. The list of vertices, which may have moved, must
   * have room for all that these can name.
   */
  void expect(MemorySegment listed, long arcCount) {
    vertices = listed;
    boolean _ = reserve(rows + arcCount);
  }

  /**
   * Numbers the sources of a hop: vertices that have no row get the next ones, and every arc's
   * vertex is replaced by its row.
   *
   * @return rows there are now
   */
  int number(MemorySegment arcIds, long arcCount) {
    ids = arcIds;
    arcs = Math.toIntExact(arcCount);
    rows = team.threads() == 1 ? numberInTurn() : numberAtOnce();
    return rows;
  }

  /** What one thread does in a single pass. */
  private int numberInTurn() {
    int row = rows;
    for (int arc = 0; arc < arcs; arc++) {
      int vertex = ids.getAtIndex(JAVA_INT, arc);
      int entry = table.getAtIndex(JAVA_INT, vertex);
      if (entry < first) {
        vertices.setAtIndex(JAVA_INT, row, vertex);
        entry = first + row++;
        table.setAtIndex(JAVA_INT, vertex, entry);
      }
      ids.setAtIndex(JAVA_INT, arc, entry - first);
    }
    return row;
  }

  private int numberAtOnce() {
    int blocks = blocks(arcs);
    if (firsts.length < blocks) {
      firsts = Arrays.copyOf(firsts, blocks + blocks / 4);
    }
    team.run(blocks, claimTask);
    team.run(blocks, countTask);
    int row = rows;
    for (int block = 0; block < blocks; block++) {
      int count = firsts[block];
      firsts[block] = row;
      row += count;
    }
    team.run(blocks, nameTask);
    team.run(blocks, replaceTask);
    return row;
  }

  private int end(int block) {
    return (int) Math.min(arcs, (block + 1L) * BLOCK);
  }

  private void claim(int block) {
    prefetch(block);
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      long vertex = ids.getAtIndex(JAVA_INT, arc);
      int wanted = first + rows + arc;
      int entry = (int) ENTRY.getVolatile(table, 0L, vertex);
      while (entry < first || entry > wanted) {
        int seen = (int) ENTRY.compareAndExchange(table, 0L, vertex, entry, wanted);
        entry = seen == entry ? wanted : seen;
      }
    }
  }

  /**
   * Reads the entries of a block's arcs before any is claimed: reads of memory that is not in the
   * cache are then under way together, where each claim would wait for all reads before it. The
   * check is there so that no compiler leaves the reading out.
   */
  private void prefetch(int block) {
    int all = 0;
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      all |= entry(arc);
    }
    if (all < 0) {
      throw new IllegalStateException("a row has a negative number");
    }
  }

  /** The row of a vertex, or −1; only between calls that number. */
  int rowOf(int vertex) {
    return Math.max(-1, table.getAtIndex(JAVA_INT, vertex) - first);
  }

  private int entry(int arc) {
    return table.getAtIndex(JAVA_INT, ids.getAtIndex(JAVA_INT, arc));
  }

  private boolean isFirst(int arc) {
    return entry(arc) == first + rows + arc;
  }

  private void countFirsts(int block) {
    int count = 0;
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      count += isFirst(arc) ? 1 : 0;
    }
    firsts[block] = count;
  }

  private void nameFirsts(int block) {
    int row = firsts[block];
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      // A row that was given meanwhile is never mistaken for an arc: rows do not run ahead of arcs.
      if (isFirst(arc)) {
        int vertex = ids.getAtIndex(JAVA_INT, arc);
        table.setAtIndex(JAVA_INT, vertex, first + row);
        vertices.setAtIndex(JAVA_INT, row, vertex);
        row++;
      }
    }
  }

  private void replace(int block) {
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      ids.setAtIndex(JAVA_INT, arc, entry(arc) - first);
    }
  }

  /** Bytes of the table. */
  long bytes() {
    return table.byteSize();
  }
}
