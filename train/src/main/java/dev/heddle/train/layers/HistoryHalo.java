package dev.heddle.train.layers;

import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit.Compensation;
import java.util.ArrayList;
import java.util.List;

/**
 * Where chunks get the rows of other chunks that their arcs come from: from what these have made in
 * this epoch if they went before, and from history if they come after (GNNPipe, arXiv 2308.10087).
 *
 * <p>One of these is for all chunks of a worker. Their programs are recorded one after another, all
 * alike, so that the value that travels i-th is one and the same in each.
 */
final class HistoryHalo implements AutoCloseable {
  private final ChunkRows rows;
  private final EpochProgress progress;
  private final Compensation compensation;
  private final Memory memory;
  private final List<ValueRows> values = new ArrayList<>();
  private final Knobs travel;
  private int section;

  /**
   * The halo of all chunks of a worker.
   *
   * @param travel how rows travel between ways
   */
  HistoryHalo(
      ChunkRows rows,
      EpochProgress progress,
      Compensation compensation,
      Knobs travel,
      Worker worker) {
    this.rows = rows;
    this.progress = progress;
    this.compensation = compensation;
    this.travel = travel;
    memory = worker.memory();
    Mirrors mirrors = rows.mirrors();
    if (mirrors != null) {
      mirrors.exchangeBy(travel.codec().kind(), rows.names(memory), worker.lane());
    }
  }

  ChunkRows rows() {
    return rows;
  }

  EpochProgress progress() {
    return progress;
  }

  Compensation compensation() {
    return compensation;
  }

  /** The values that travel, in the order in which a program has them. */
  List<ValueRows> values() {
    return values;
  }

  /** The halo of one chunk, for one program over it. */
  Halo of(int chunk) {
    return new Halo() {
      private int next;

      @Override
      public Passage passage(Travelling value) {
        ValueRows known = values(next, value);
        return new HistoryPassage(HistoryHalo.this, known, next++, chunk);
      }

      @Override
      public int central() {
        return rows.part(chunk).central();
      }

      @Override
      public boolean overlaps() {
        return rows.mirrors() != null && travel.overlap();
      }
    };
  }

  /** Says which section of the model the values belong to that are recorded from now on. */
  void at(int number) {
    section = number;
  }

  /** Names that do not depend on where the model is cut. */
  private String name() {
    String ofSection = "section-" + section + ".";
    long before = values.stream().filter(v -> v.name().startsWith(ofSection)).count();
    return ofSection + before;
  }

  private ValueRows values(int number, Travelling value) {
    if (number == values.size()) {
      values.add(new ValueRows(name(), value, rows, compensation, memory));
    }
    ValueRows known = values.get(number);
    if (known.value().cols() != value.cols() || known.value().learnt() != value.learnt()) {
      throw new IllegalStateException("the programs of two chunks differ in value " + number);
    }
    return known;
  }

  /** Makes the rows of the forward that has just ended those of history. */
  void renewHistory(int epoch) {
    for (int i = 0; i < values.size(); i++) {
      values.get(i).renewHistory();
    }
    progress.renewed(epoch);
  }

  /** Nothing has been given back in this epoch so far. */
  void zeroGradients() {
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i).value().learnt()) {
        values.get(i).zeroGradients();
      }
    }
  }

  /** Adds how long rows of other ways travelled so far. */
  void addTimesTo(long[] figures) {
    Mirrors mirrors = rows.mirrors();
    if (mirrors != null) {
      mirrors.addTimesTo(figures);
    }
  }

  /** Waits until what was sent has left. */
  @Override
  public void close() {
    Mirrors mirrors = rows.mirrors();
    if (mirrors != null) {
      mirrors.close();
    }
  }

  /** Gives memory back when all chunks have what never changes. */
  void constantsAreThere() {
    values.forEach(ValueRows::constantsAreThere);
  }
}
