package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Gives vertices row numbers in the order in which arcs first name them, and puts these in the
 * place of the vertices; all threads at once, with the same result for any number of them.
 *
 * <p>A table with open addressing holds a word for each vertex: its number plus one, and below that
 * its row. While arcs are being looked at, a vertex without a row has instead, counted on from the
 * last row, the lowest index of an arc that names it: lower wins, whichever thread comes first. The
 * arcs at those indices, counted in order, are the new rows.
 */
final class RowNumbers implements AutoCloseable {
  private static final int BLOCK = 4096;
  private static final long LOW = 0xFFFFFFFFL;
  private static final VarHandle WORD = JAVA_LONG.arrayElementVarHandle();

  private final Workers workers;
  private final GrowingBuffer table;
  private final int vertexCount;
  private final Task clearTask = this::clear;
  private final Task enterTask = this::enter;
  private final Task claimTask = this::claim;
  private final Task countTask = this::countFirsts;
  private final Task nameTask = this::nameFirsts;
  private final Task replaceTask = this::replace;

  private MemorySegment words;
  private long slots;
  private int[] firsts = new int[16];
  private MemorySegment vertices = MemorySegment.NULL;
  private MemorySegment ids = MemorySegment.NULL;
  private int rows;
  private int arcs;

  /** Numbers for a graph of so many vertices. */
  RowNumbers(Workers workers, Memory memory, int vertexCount) {
    this.workers = workers;
    this.vertexCount = vertexCount;
    table = new GrowingBuffer(memory);
    words = table.segment();
  }

  /**
   * Forgets all rows and begins with these, which are distinct.
   *
   * @param listed ints: the vertex of each row
   */
  void begin(MemorySegment listed, int count) {
    vertices = listed;
    rows = count;
    makeRoom(count);
    fill();
  }

  private void makeRoom(long most) {
    long wanted = Long.highestOneBit(Math.max(BLOCK, 3 * Math.min(most, vertexCount))) << 1;
    if (wanted > slots) {
      table.require(wanted * Long.BYTES);
      words = table.segment();
      slots = wanted;
    }
  }

  private void fill() {
    workers.run(blocks(slots), clearTask);
    workers.run(blocks(rows), enterTask);
  }

  private static int blocks(long count) {
    return (int) ((count + BLOCK - 1) / BLOCK);
  }

  private void clear(int block) {
    for (long i = (long) block * BLOCK, end = Math.min(slots, i + BLOCK); i < end; i++) {
      words.setAtIndex(JAVA_LONG, i, 0);
    }
  }

  private void enter(int block) {
    for (int row = block * BLOCK, end = Math.min(rows, row + BLOCK); row < end; row++) {
      claim(vertices.getAtIndex(JAVA_INT, row), row);
    }
  }

  /**
   * Readies the table for a hop of so many arcs. The list of vertices must have room for all that
   * these can name; rows are entered anew if it has moved or the table has grown.
   */
  void expect(MemorySegment listed, long arcCount) {
    long before = slots;
    vertices = listed;
    makeRoom(rows + arcCount);
    if (slots != before) {
      fill();
    }
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
    int blocks = blocks(arcs);
    if (firsts.length < blocks) {
      firsts = Arrays.copyOf(firsts, blocks + blocks / 4);
    }
    workers.run(blocks, claimTask);
    workers.run(blocks, countTask);
    int next = rows;
    for (int block = 0; block < blocks; block++) {
      int count = firsts[block];
      firsts[block] = next;
      next += count;
    }
    workers.run(blocks, nameTask);
    workers.run(blocks, replaceTask);
    rows = next;
    return next;
  }

  private int end(int block) {
    return (int) Math.min(arcs, (block + 1L) * BLOCK);
  }

  private void claim(int block) {
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      long slot = claim(ids.getAtIndex(JAVA_INT, arc), (long) rows + arc);
      ids.setAtIndex(JAVA_INT, arc, (int) slot);
    }
  }

  /** Enters a vertex, or lowers its number; returns its slot. */
  private long claim(int vertex, long number) {
    long name = vertex + 1L;
    long wanted = name << 32 | number;
    long slot = Draws.mix(name) & (slots - 1);
    while (true) {
      long word = (long) WORD.getVolatile(words, 0L, slot);
      if (word == 0) {
        word = (long) WORD.compareAndExchange(words, 0L, slot, 0L, wanted);
        if (word == 0) {
          return slot;
        }
      }
      if (word >>> 32 == name) {
        while ((word & LOW) > number) {
          long seen = (long) WORD.compareAndExchange(words, 0L, slot, word, wanted);
          word = seen == word ? wanted : seen;
        }
        return slot;
      }
      slot = (slot + 1) & (slots - 1);
    }
  }

  /** The row of a vertex, or −1; only between calls that number. */
  int rowOf(int vertex) {
    long name = vertex + 1L;
    for (long slot = Draws.mix(name) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      long word = words.getAtIndex(JAVA_LONG, slot);
      if (word >>> 32 == name) {
        return (int) (word & LOW);
      }
      if (word == 0) {
        return -1;
      }
    }
  }

  private long word(int arc) {
    return words.getAtIndex(JAVA_LONG, ids.getAtIndex(JAVA_INT, arc));
  }

  private boolean first(int arc) {
    return (word(arc) & LOW) == (long) rows + arc;
  }

  private void countFirsts(int block) {
    int count = 0;
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      count += first(arc) ? 1 : 0;
    }
    firsts[block] = count;
  }

  private void nameFirsts(int block) {
    int next = firsts[block];
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      // A row that was given meanwhile is never mistaken for an arc: rows do not run ahead of arcs.
      if (first(arc)) {
        long name = word(arc) >>> 32;
        words.setAtIndex(JAVA_LONG, ids.getAtIndex(JAVA_INT, arc), name << 32 | next);
        vertices.setAtIndex(JAVA_INT, next, (int) (name - 1));
        next++;
      }
    }
  }

  private void replace(int block) {
    for (int arc = block * BLOCK, end = end(block); arc < end; arc++) {
      ids.setAtIndex(JAVA_INT, arc, (int) (word(arc) & LOW));
    }
  }

  long bytes() {
    return table.bytes();
  }

  @Override
  public void close() {
    table.close();
  }
}
