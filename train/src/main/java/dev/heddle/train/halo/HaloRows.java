package dev.heddle.train.halo;

import dev.heddle.comm.Codec;
import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The halo of a part, by an exchange between all workers: every worker tells the owners once what
 * it needs of their vertices, and gets it each time a layer reads them. That is their rows, or
 * where it makes fewer of them, sums over their rows ({@link HaloLayout}).
 */
public final class HaloRows implements Halo, AutoCloseable {
  private final Group group;
  private final GraphPart part;
  private final Memory memory;
  private final HaloLayout layout;
  private final CodecKind codec;
  private final boolean overlap;
  private final boolean delta;
  private final RowExchange exact;
  private final Memory roundedMemory;
  private final @Nullable RowWidths widths;
  private final WidthHistory history = new WidthHistory();
  private final EpochExchanges epochs;
  private final Lane lane;
  private final List<HaloPassage> passages = new ArrayList<>();
  private final Map<Integer, Matrix> partials = new HashMap<>();
  private final Map<Integer, Matrix> changes = new HashMap<>();
  private @Nullable Block sums;
  private int epoch;
  private boolean otherWidths = true;

  private HaloRows(Group group, GraphPart part, Memory memory, Knobs knobs, Lane lane) {
    this.lane = lane;
    epochs = new EpochExchanges(this::addTimesTo, lane);
    this.group = group;
    this.part = part;
    this.memory = memory;
    layout = new HaloLayout(group, part, memory, knobs.codec().preAggregate());
    exact = RowExchange.over(group, memory, layout.routes(), Codec.FP32);
    roundedMemory = memory.child();
    codec = knobs.codec().kind();
    overlap = knobs.overlap();
    delta = knobs.codec().delta();
    widths = RowWidths.of(group, layout.routes(), knobs.codec(), memory);
  }

  /**
   * The halo of a part of which all workers make theirs at the same point.
   *
   * @param lane of the thread that drives training
   */
  public static HaloRows of(Group group, GraphPart part, Memory memory, Knobs knobs, Lane lane) {
    return new HaloRows(group, part, memory, knobs, lane);
  }

  @Override
  public Passage passage(Travelling value) {
    // What travels once need not be small, and is exact.
    boolean rounds = codec.rounds() && !value.once();
    HaloPassage made = new HaloPassage(this, value, passages.size(), rounds);
    passages.add(made);
    return made;
  }

  /** Sums for others over rows of a value; none where nobody asks for any. */
  @Nullable SumsForOthers sums(Travelling value) {
    Normalisation normalisation = value.normalisation();
    if (!layout.makesSums()) {
      return null;
    }
    if (normalisation == null) {
      throw new IllegalArgumentException("what is not just summed cannot be summed beforehand");
    }
    if (sums == null) {
      sums = Block.of(memory, layout.sums());
      sums.symmetricSource(value.block().symmetricSource());
    }
    Matrix scratch =
        partials.computeIfAbsent(
            value.cols(), cols -> Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, cols));
    return new SumsForOthers(layout, sums, normalisation, scratch);
  }

  /** Which rows there are. */
  public HaloLayout layout() {
    return layout;
  }

  /** Begins an epoch of training: widths of rows are chosen anew when it is time. */
  public void beginEpoch(int next) {
    epoch = next;
    if (widths != null) {
      lane.begin(Stage.ASSIGN, epoch, 0);
      otherWidths |= widths.before(epoch, passages);
      lane.end();
    }
    epochs.begin();
  }

  /**
   * Ends an epoch. Rows are counted by their widths in the first one, and wherever a choice was
   * made before it.
   */
  public void endEpoch() {
    if (otherWidths) {
      history.add(epoch, passages);
      otherWidths = false;
    }
    epochs.end();
  }

  /**
   * How rows travelled in all epochs so far, of all workers together, who all call it. Travelling
   * and packing are timed where messages are ({@link ExchangeTimes}), and so is waiting, which the
   * timeline has from there; choosing widths and summing gradients are timed by the timeline.
   */
  public HaloReport report() {
    ExchangeTimes inEpochs = epochs.all();
    long[] all = {
      inEpochs.travelNanos(),
      inEpochs.exposedNanos(),
      inEpochs.codingNanos(),
      inEpochs.sentBytes(),
      (long) part.sources() - part.vertices(),
      layout.receivedRows(),
      roundedMemory.bytes()
    };
    group.sum(all);
    double[] choosing = {1e-9 * lane.nanos(Stage.ASSIGN)};
    group.sum(choosing);
    return new HaloReport(
        new ExchangeTimes(all[0], all[1], all[2], all[3]),
        choosing[0],
        history.sum(group),
        epochs.typical(group),
        new HaloReport.Rows(all[4], all[5]),
        all[6]);
  }

  /** At how many bits rows travelled so far; of this worker. */
  WidthHistory history() {
    return history;
  }

  /** How long rows travelled so far, at this worker. */
  private void addTimesTo(long[] figures) {
    exact.addTimesTo(figures);
    for (int i = 0; i < passages.size(); i++) {
      RowExchange rounded = passages.get(i).rounded();
      if (rounded != null) {
        rounded.addTimesTo(figures);
      }
    }
  }

  /** Bits of an element from each worker to each other, as they were chosen last. */
  public double[][] linkBits() {
    double[][] bits = new double[group.size()][group.size()];
    if (widths instanceof AdaptiveWidths adaptive) {
      for (int from = 0; from < bits.length; from++) {
        for (int to = 0; to < bits.length; to++) {
          bits[from][to] = adaptive.bits(from, to);
        }
      }
    }
    return bits;
  }

  @Override
  public int central() {
    return layout.central();
  }

  @Override
  public boolean overlaps() {
    return overlap;
  }

  /** Of the thread that drives training, in which rows are sent and waited for. */
  Lane lane() {
    return lane;
  }

  /** The exchange that all values share whose rows travel as they are. */
  RowExchange exact() {
    return exact;
  }

  /** An exchange for one value, whose rows are rounded. */
  RowExchange rounding(int cols) {
    var rounding = Codec.Quantised.of(codec.bits(), layout.ids());
    Codec all = delta ? new Codec.Changes(rounding, roomForChanges(cols)) : rounding;
    return RowExchange.over(group, roundedMemory, layout.routes(), all);
  }

  /** Room for the longest list of rows, which exchanges of one width use one after the other. */
  private Matrix roomForChanges(int cols) {
    int most = Math.max(layout.mostRows(), 1);
    return changes.computeIfAbsent(cols, c -> Matrix.allocate(roundedMemory, most, c));
  }

  /** Fills the halo's rows once, by an exchange that is not kept: for what is told at the start. */
  public void fetchOnce(ThreadTeam team, Matrix rows) {
    try (Memory scratch = memory.child()) {
      RowExchange once = RowExchange.over(group, scratch, layout.routes(), Codec.FP32);
      once.start(team, rows, rows, Kind.HALO);
      once.finish(team);
      once.close();
    }
  }

  @Override
  public void close() {
    exact.close();
    for (HaloPassage passage : passages) {
      RowExchange rounded = passage.rounded();
      if (rounded != null) {
        rounded.close();
      }
    }
  }
}
