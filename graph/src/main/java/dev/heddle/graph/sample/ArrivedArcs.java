package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** The arcs of a hop that other workers have drawn, see {@link ArcAnswer}, to be put in place. */
final class ArrivedArcs {
  private final NeighbourArcs arcs;
  private final boolean weighted;
  private final boolean alike;
  private final Memory memory;
  private final List<Answer> answers;

  /** For each batch, as many as there have been at once. */
  private final List<RowPlaces> places = new ArrayList<>();

  /**
   * Arcs from so many workers.
   *
   * @param arcs those of this worker, whose properties are those of others
   * @param weighted whether arcs drawn have weights
   * @param alike whether those of a vertex all weigh the same
   */
  ArrivedArcs(int workers, NeighbourArcs arcs, boolean weighted, boolean alike, Memory memory) {
    this.arcs = arcs;
    this.weighted = weighted;
    this.alike = alike;
    this.memory = memory;
    answers = IntStream.range(0, workers).mapToObj(_ -> new Answer()).toList();
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
  }

  /** Makes room for the rows of a batch, of which the first is number 0. */
  void expect(int batch, int rows) {
    while (places.size() <= batch) {
      places.add(new RowPlaces(memory));
    }
    RowPlaces of = places.get(batch);
    of.starts.require((long) rows * Long.BYTES);
    of.counts.require((long) rows * Integer.BYTES);
    of.pairs.require((long) rows * Integer.BYTES);
  }

  /** Takes an answer, which stays where it is until the hop is done. */
  void take(int worker, ArcRequest asked, MemorySegment bytes, long from) {
    Answer answer = answers.get(worker);
    ByteCursor counts = answer.cursor.on(bytes, from);
    int pairs = asked.pairs();
    long total = 0;
    for (int pair = 0; pair < pairs; pair++) {
      int count = (int) counts.get();
      RowPlaces of = places.get(asked.batch(pair));
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
    return places.get(batch).counts.segment().getAtIndex(JAVA_INT, row);
  }

  /** Copies the arcs of a row of a batch, which a worker has drawn, from index {@code at} on. */
  void copy(int worker, int batch, int row, DrawnArcs into, long at) {
    Answer answer = answers.get(worker);
    int count = count(batch, row);
    long start = places.get(batch).starts.segment().getAtIndex(JAVA_LONG, row);
    MemorySegment.copy(answer.ids, 4 * start, into.ids(), 4 * at, 4L * count);
    if (!weighted) {
      return;
    }
    MemorySegment weights = Objects.requireNonNull(into.weights());
    if (alike) {
      int pair = places.get(batch).pairs.segment().getAtIndex(JAVA_INT, row);
      fill(answer.weights.getAtIndex(JAVA_FLOAT, pair), weights, at, count);
    } else {
      MemorySegment.copy(answer.weights, 4 * start, weights, 4 * at, 4L * count);
    }
  }

  /** A loop, which comes first, stands for itself alone. */
  private void fill(float weight, MemorySegment weights, long at, int count) {
    for (int i = 0; i < count; i++) {
      weights.setAtIndex(JAVA_FLOAT, at + i, i == 0 && arcs.selfLoops() ? 1 : weight);
    }
  }
}
