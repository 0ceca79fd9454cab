package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The rows that move between workers before a hop of a sample of which each worker has the vertices
 * that it owns. The sources of the hop's block are this worker's own rows at that depth, followed
 * by rows of others: those of one owner stand together, owners in the order of their ranks.
 *
 * <p>Both sides know the order of rows: a worker has asked each owner for vertices in rising order.
 */
public final class SampledShuffle {
  private final GrowingBuffer vertices;
  private final GrowingBuffer sent;
  private final GrowingBuffer received;
  private final int[] sentStarts;
  private final int[] receivedStarts;
  private final GrowingBuffer order;
  private RowIds ids;
  private RowIds orderIds;
  private int own;
  private int wanted;

  SampledShuffle(int workers, Memory memory) {
    vertices = new GrowingBuffer(memory);
    sent = new GrowingBuffer(memory);
    received = new GrowingBuffer(memory);
    order = new GrowingBuffer(memory);
    orderIds = new RowIds(order.segment());
    sentStarts = new int[workers + 1];
    receivedStarts = new int[workers + 1];
    ids = new RowIds(vertices.segment());
  }

  void clear() {
    Arrays.fill(sentStarts, 0);
    Arrays.fill(receivedStarts, 0);
  }

  /** Counts a vertex that a worker asks for. */
  void countSent(int worker) {
    sentStarts[worker + 1]++;
  }

  /** Counts a vertex that a worker is asked for. */
  void countReceived(int worker) {
    receivedStarts[worker + 1]++;
  }

  /** Makes room for all that was counted. */
  void counted() {
    sum(sentStarts);
    sum(receivedStarts);
    sent.require((long) sent() * Integer.BYTES);
    received.require((long) received() * Integer.BYTES);
  }

  private static void sum(int[] starts) {
    for (int i = 1; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
  }

  /** Ints: the vertices that others ask for, by worker; then the rows that these have got. */
  MemorySegment sentRows() {
    return sent.segment();
  }

  /** Begins the sources with this worker's own rows. */
  void begin(RowIds ofOwn, int rows) {
    own = rows;
    if (vertices.require((long) sources() * Integer.BYTES)) {
      ids = new RowIds(vertices.segment());
    }
    MemorySegment.copy(ofOwn.values(), 0, vertices.segment(), 0, (long) rows * Integer.BYTES);
    for (int i = 0; i < received(); i++) {
      received.segment().setAtIndex(JAVA_INT, i, own + i);
    }
  }

  /** Says which vertex has a place among the rows of others. */
  void receive(int place, int vertex) {
    vertices.segment().setAtIndex(JAVA_INT, (long) own + place, vertex);
  }

  /** Ints, to be written: the source of each row that was wanted. */
  MemorySegment order(int count) {
    wanted = count;
    if (order.require((long) count * Integer.BYTES)) {
      orderIds = new RowIds(order.segment());
    }
    return order.segment();
  }

  /**
   * The source of each row that the hop before the {@linkplain SampledBatch#joint joint} reads;
   * nothing elsewhere, where it reads sources as they are.
   */
  public RowIds order() {
    return orderIds;
  }

  /** How many rows {@link #order} has. */
  public int wanted() {
    return wanted;
  }

  /** The vertex of each source. */
  public RowIds ids() {
    return ids;
  }

  /** This worker's own rows: the first of the sources. */
  public int own() {
    return own;
  }

  /** Own rows and those of others. */
  public int sources() {
    return own + received();
  }

  /** Rows that go to others; one that goes to several counts for each. */
  public int sent() {
    return sentStarts[sentStarts.length - 1];
  }

  /** Rows that come from others. */
  public int received() {
    return receivedStarts[receivedStarts.length - 1];
  }

  /** Ints: the own rows that others need, by worker. */
  public MemorySegment toSend() {
    return sent.segment();
  }

  /** Where those of each worker begin in {@link #toSend}, and the end. */
  public int[] sentStarts() {
    return sentStarts;
  }

  /** Ints: the sources that others have, by worker. */
  public MemorySegment toReceive() {
    return received.segment();
  }

  /** Where those of each worker begin in {@link #toReceive}, and the end. */
  public int[] receivedStarts() {
    return receivedStarts;
  }
}
