package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * The vertices whose features several batches need, each once, and where in that list the rows of
 * each batch are found. First come those that are at hand, own ones and then cached ones, then
 * those of each other worker; each sorted, so that what a worker sends is received in place.
 */
public final class NeededRows {
  private static final int BLOCK = 4096;

  private final FeaturePlaces places;
  private final ThreadTeam team;
  private final Memory kept;
  private final RowNumbers numbers;
  private final GrowingBuffer found;
  private final GrowingBuffer sources;
  private final int[] starts;
  private final ByteCursor cursor = new ByteCursor();
  private final Task sortTask = this::sort;
  private final Task renumberTask = this::renumber;

  private int count;
  private long wanted;
  private long[] listed = new long[64];
  private int[] rowOf = new int[64];
  private int[] lastBatch = new int[64];
  private MemorySegment renumbered = MemorySegment.NULL;
  private long renumberedCount;

  /** Lists for a worker that finds features at some places. */
  public NeededRows(FeaturePlaces places, ThreadTeam team, Memory memory) {
    this.places = places;
    this.team = team;
    kept = memory.child();
    numbers = new RowNumbers(team, kept, places.vertices());
    found = new GrowingBuffer(kept);
    sources = new GrowingBuffer(kept);
    starts = new int[places.kinds() + 1];
  }

  /**
   * Lists what batches need: the features of all their rows and, where arcs of the last hop name
   * vertices, of these; such arcs name rows of the list from then on.
   *
   * @param indices take, for each batch, ints: the row of the list for each row of the batch
   */
  public void list(List<SampledBatch> batches, List<GrowingBuffer> indices, boolean sumsLastHop) {
    count = 0;
    numbers.begin(found.segment(), 0);
    Arrays.fill(lastBatch, -1);
    wanted = 0;
    for (int k = 0; k < batches.size(); k++) {
      SampledBatch batch = batches.get(k);
      long bytes = (long) rows(batch) * Integer.BYTES;
      indices.get(k).require(bytes);
      MemorySegment index = indices.get(k).segment();
      MemorySegment.copy(batch.ids(batch.hops()).values(), 0, index, 0, bytes);
      number(index, rows(batch), k);
      if (sumsLastHop) {
        number(lastHop(batch).ids(), lastHop(batch).arcs(), k);
      }
    }
    sortByPlace();
    for (int k = 0; k < batches.size(); k++) {
      SampledBatch batch = batches.get(k);
      renumber(indices.get(k).segment(), rows(batch));
      if (sumsLastHop) {
        Csr arcs = lastHop(batch);
        renumber(arcs.ids(), arcs.arcs());
        arcs.rewritten(arcs.rows(), count);
      }
    }
  }

  /** Lists some vertices, each once. */
  public void list(int[] vertices) {
    sources.require((long) vertices.length * Integer.BYTES);
    MemorySegment.copy(vertices, 0, sources.segment(), JAVA_INT, 0, vertices.length);
    list(sources.segment(), vertices.length);
  }

  /**
   * Lists some vertices, each once.
   *
   * @param vertices ints, which are written over
   */
  public void list(MemorySegment vertices, int length) {
    count = 0;
    wanted = 0;
    numbers.begin(found.segment(), 0);
    Arrays.fill(lastBatch, -1);
    number(vertices, length, 0);
    sortByPlace();
  }

  private static int rows(SampledBatch batch) {
    return batch.rows(batch.hops());
  }

  private static Csr lastHop(SampledBatch batch) {
    return batch.hop(batch.hops() - 1).in();
  }

  /** Replaces vertices by numbers in the order in which they were found. */
  private void number(MemorySegment ids, long length, int batch) {
    long most = Math.min(count + length, places.vertices());
    found.require(most * Integer.BYTES, (long) count * Integer.BYTES);
    numbers.expect(found.segment(), length);
    count = numbers.number(ids, length);
    if (count > lastBatch.length) {
      int before = lastBatch.length;
      lastBatch = Arrays.copyOf(lastBatch, count + count / 4);
      Arrays.fill(lastBatch, before, lastBatch.length, -1);
    }
    // How many rows each batch would fetch by itself.
    for (long i = 0; i < length; i++) {
      int number = ids.getAtIndex(JAVA_INT, i);
      if (lastBatch[number] != batch) {
        lastBatch[number] = batch;
        wanted += places.kind(found.segment().getAtIndex(JAVA_INT, number)) > 1 ? 1 : 0;
      }
    }
  }

  private void sortByPlace() {
    if (count > listed.length) {
      listed = new long[count + count / 4];
      rowOf = new int[count + count / 4];
    }
    Arrays.fill(starts, 0);
    for (int number = 0; number < count; number++) {
      starts[places.kind(vertexOf(number)) + 1]++;
    }
    for (int kind = 0; kind + 1 < starts.length; kind++) {
      starts[kind + 1] += starts[kind];
    }
    int[] next = starts.clone();
    for (int number = 0; number < count; number++) {
      int vertex = vertexOf(number);
      listed[next[places.kind(vertex)]++] = (long) vertex << 32 | number;
    }
    team.run(places.kinds(), sortTask);
    sources.require((long) atHand() * Integer.BYTES);
    for (int row = 0; row < count; row++) {
      rowOf[(int) listed[row]] = row;
      if (row < atHand()) {
        sources.segment().setAtIndex(JAVA_INT, row, places.row(vertex(row)));
      }
    }
  }

  private int vertexOf(int number) {
    return found.segment().getAtIndex(JAVA_INT, number);
  }

  private void sort(int kind) {
    Arrays.sort(listed, starts[kind], starts[kind + 1]);
  }

  private void renumber(MemorySegment numbersFound, long length) {
    renumbered = numbersFound;
    renumberedCount = length;
    team.run((int) ((length + BLOCK - 1) / BLOCK), renumberTask);
  }

  private void renumber(int block) {
    long end = Math.min(renumberedCount, (block + 1L) * BLOCK);
    for (long i = (long) block * BLOCK; i < end; i++) {
      renumbered.setAtIndex(JAVA_INT, i, rowOf[renumbered.getAtIndex(JAVA_INT, i)]);
    }
  }

  /** Rows of the list. */
  public int count() {
    return count;
  }

  /** Rows of own vertices: the first ones. */
  public int own() {
    return starts[1];
  }

  /** Rows of own and of cached vertices: the first ones. */
  public int atHand() {
    return starts[2];
  }

  /** The row of the part of each own vertex of the list; then that of the cache. */
  public RowIds sources() {
    return new RowIds(sources.segment());
  }

  /** The first row of those that a worker has. */
  public int first(int worker) {
    return starts[2 + worker];
  }

  /** How many rows a worker has. */
  public int count(int worker) {
    return starts[3 + worker] - starts[2 + worker];
  }

  /** Rows that the batches would fetch from other workers, each for itself. */
  public long wanted() {
    return wanted;
  }

  /** The vertex of a row. */
  public int vertex(int row) {
    return (int) (listed[row] >>> 32);
  }

  /** Bytes that {@link #writeRequest} takes, at most. */
  public long mostRequestBytes(int worker) {
    return (long) ByteCursor.MOST * count(worker);
  }

  /** Writes which vertices' features are wanted of a worker; returns how many bytes that is. */
  public long writeRequest(int worker, MemorySegment into, long from) {
    cursor.on(into, from);
    int last = 0;
    for (int row = first(worker), end = row + count(worker); row < end; row++) {
      cursor.put(vertex(row) - last);
      last = vertex(row);
    }
    return cursor.position() - from;
  }

  /** Reads what another worker wants; returns how many rows of the part, which are written. */
  public int readRequest(MemorySegment request, long from, long bytes, GrowingBuffer rows) {
    // No number is shorter than a byte.
    rows.require(bytes * Integer.BYTES);
    cursor.on(request, from);
    int vertex = 0;
    int wantedRows = 0;
    while (cursor.position() < from + bytes) {
      vertex += (int) cursor.get();
      rows.segment().setAtIndex(JAVA_INT, wantedRows++, places.row(vertex));
    }
    return wantedRows;
  }

  /** Those of the bytes that are a table of all vertices, however many are listed. */
  public long tableBytes() {
    return numbers.bytes();
  }

  /** Bytes of memory outside the heap. */
  public long bytes() {
    return kept.bytes();
  }
}
