package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/** The arcs of a hop that other workers have drawn, see {@link ArcAnswer}, to be put in place. */
final class ArrivedArcs implements AutoCloseable {
  private final boolean selfLoops;
  private final boolean alike;
  private final Answer[] answers;
  private final RowPlaces[] places;

  /**
   * Arcs from so many workers, for up to {@link ArcRequest#MOST_BATCHES} batches.
   *
   * @param selfLoops whether the first arc of each vertex is its loop
   * @param alike whether arcs into a vertex weigh all the same
   */
  ArrivedArcs(int workers, boolean selfLoops, boolean alike, Memory memory) {
    this.selfLoops = selfLoops;
    this.alike = alike;
    answers = new Answer[workers];
    for (int w = 0; w < workers; w++) {
      answers[w] = new Answer();
    }
    places = new RowPlaces[ArcRequest.MOST_BATCHES];
    for (int k = 0; k < places.length; k++) {
      places[k] = new RowPlaces(memory);
    }
  }

  /** The numbers of one answer. */
  private static final class Answer {
    private final ByteCursor cursor = new ByteCursor();
    private MemorySegment ids = MemorySegment.NULL;
    private MemorySegment weights = MemorySegment.NULL;
  }

  /** Where in an answer a row's arcs are, and which pair they are of. */
  private static final class RowPlaces {
    private final GrowingBuffer starts;
    private final GrowingBuffer counts;
    private final GrowingBuffer pairs;

    RowPlaces(Memory memory) {
      starts = new GrowingBuffer(memory);
      counts = new GrowingBuffer(memory);
      pairs = new GrowingBuffer(memory);
    }

    long bytes() {
      return starts.bytes() + counts.bytes() + pairs.bytes();
    }

    void close() {
      starts.close();
      counts.close();
      pairs.close();
    }
  }

  /** Makes room for the rows of a batch. */
  void expect(int batch, int rows) {
    places[batch].starts.require((long) rows * Long.BYTES);
    places[batch].counts.require((long) rows * Integer.BYTES);
    places[batch].pairs.require((long) rows * Integer.BYTES);
  }

  /** Takes an answer, which stays where it is until the hop is done. */
  void take(int worker, ArcRequest asked, boolean weighted, MemorySegment bytes, long from) {
    Answer answer = answers[worker];
    ByteCursor counts = answer.cursor.on(bytes, from);
    int pairs = asked.pairs();
    long total = 0;
    for (int pair = 0; pair < pairs; pair++) {
      int count = (int) counts.get();
      RowPlaces of = places[asked.batch(pair)];
      int row = asked.row(pair);
      of.starts.segment().setAtIndex(JAVA_LONG, row, total);
      of.counts.segment().setAtIndex(JAVA_INT, row, count);
      of.pairs.segment().setAtIndex(JAVA_INT, row, pair);
      total += count;
    }
    long at = ArcAnswer.aligned(counts.position());
    if (weighted && alike) {
      answer.weights = bytes.asSlice(at, (long) Float.BYTES * pairs);
      at += answer.weights.byteSize();
    }
    answer.ids = bytes.asSlice(at, Integer.BYTES * total);
    if (weighted && !alike) {
      answer.weights = bytes.asSlice(at + answer.ids.byteSize(), Float.BYTES * total);
    }
  }

  /** How many arcs a row of a batch got. */
  int count(int batch, int row) {
    return places[batch].counts.segment().getAtIndex(JAVA_INT, row);
  }

  /** Puts the arcs of a row of a batch, which a worker has drawn, in their place. */
  void copy(int worker, int batch, int row, DrawnArcs into, long at) {
    Answer answer = answers[worker];
    int count = count(batch, row);
    long start = places[batch].starts.segment().getAtIndex(JAVA_LONG, row);
    MemorySegment.copy(answer.ids, 4 * start, into.ids(), 4 * at, 4L * count);
    MemorySegment weights = into.weights();
    if (weights == null) {
      return;
    }
    if (alike) {
      fill(answer.weights.getAtIndex(JAVA_FLOAT, pair(batch, row)), weights, at, count);
    } else {
      MemorySegment.copy(answer.weights, 4 * start, weights, 4 * at, 4L * count);
    }
  }

  private int pair(int batch, int row) {
    return places[batch].pairs.segment().getAtIndex(JAVA_INT, row);
  }

  /** A loop stands for itself alone. */
  private void fill(float weight, MemorySegment weights, long at, int count) {
    for (int i = 0; i < count; i++) {
      weights.setAtIndex(JAVA_FLOAT, at + i, i == 0 && selfLoops ? 1 : weight);
    }
  }

  long bytes() {
    long sum = 0;
    for (RowPlaces of : places) {
      sum += of.bytes();
    }
    return sum;
  }

  @Override
  public void close() {
    for (RowPlaces of : places) {
      of.close();
    }
  }
}
