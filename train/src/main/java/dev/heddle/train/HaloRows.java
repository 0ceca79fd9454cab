package dev.heddle.train;

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
import java.lang.foreign.MemorySegment;
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
final class HaloRows implements Halo, AutoCloseable {
  private final Group group;
  private final Memory memory;
  private final HaloLayout layout;
  private final HaloCodec codec;
  private final boolean overlap;
  private final boolean delta;
  private final @Nullable RowWidths widths;
  private final WidthHistory history = new WidthHistory();
  private final List<HaloPassage> passages = new ArrayList<>();
  private final Map<Integer, Matrix> partials = new HashMap<>();
  private @Nullable Block sums;
  private @Nullable MemorySegment changes;
  private long exchangeBytes;
  private int width = 1;
  private int epoch;
  private boolean otherWidths = true;
  private @Nullable RowExchange asTheyAre;

  private HaloRows(Group group, GraphPart part, Memory memory, HaloSettings settings) {
    this.group = group;
    this.memory = memory;
    layout = new HaloLayout(group, part, memory, settings.preAggregate());
    codec = settings.codec();
    overlap = settings.overlap();
    delta = settings.delta();
    widths = RowWidths.of(group, layout.routes(), settings);
  }

  static HaloRows of(Group group, GraphPart part, Memory memory, HaloSettings settings) {
    return new HaloRows(group, part, memory, settings);
  }

  @Override
  public Passage passage(Travelling value) {
    width = Math.max(width, value.cols());
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
  HaloLayout layout() {
    return layout;
  }

  /** Chooses widths of rows anew, when it is time. */
  void before(int next) {
    epoch = next;
    if (widths != null && widths.before(epoch, passages)) {
      otherWidths = true;
    }
  }

  /** Counts rows by their widths in the first epoch, and wherever a choice was made before it. */
  void after() {
    if (otherWidths) {
      history.add(epoch, passages);
      otherWidths = false;
    }
  }

  /** At how many bits rows travelled so far; of this worker. */
  WidthHistory history() {
    return history;
  }

  /** How long rows travelled so far, and what became of their widths; of this worker. */
  ExchangeTimes times() {
    ExchangeTimes all = asTheyAre == null ? ExchangeTimes.NONE : asTheyAre.times();
    for (HaloPassage passage : passages) {
      RowExchange rounded = passage.rounded();
      all = rounded == null ? all : all.plus(rounded.times());
    }
    return all;
  }

  @Nullable RowWidths widths() {
    return widths;
  }

  @Override
  public int central() {
    return layout.central();
  }

  @Override
  public boolean overlaps() {
    return overlap;
  }

  /** The exchange that all values share whose rows travel as they are. */
  RowExchange asTheyAre() {
    if (asTheyAre == null) {
      asTheyAre = RowExchange.over(group, memory, layout.routes(), RowExchange.Wire.halo(width));
    }
    return asTheyAre;
  }

  /** An exchange for one value, whose rows are rounded. */
  RowExchange rounding(int cols) {
    var rounding = Codec.Quantised.of(codec.bits(), layout.ids());
    Codec all = delta ? new Codec.Changes(rounding, roomForChanges(cols)) : rounding;
    long before = memory.bytes();
    var wire = new RowExchange.Wire(Kind.HALO, cols, all);
    RowExchange made = RowExchange.over(group, memory, layout.routes(), wire);
    exchangeBytes += memory.bytes() - before;
    return made;
  }

  /** Room for the longest list of rows, which exchanges use one after the other. */
  private Matrix roomForChanges(int cols) {
    int most = Math.max(layout.mostRows(), 1);
    if (changes == null) {
      changes = memory.allocate(Matrix.bytes(most, width));
      exchangeBytes += changes.byteSize();
    }
    return Matrix.over(changes, most, cols);
  }

  /** Bytes that exchanges of rounded rows take, with what they remember of them. */
  long exchangeBytes() {
    return exchangeBytes;
  }

  /** Fills the halo's rows once, by an exchange that is not kept: for what is told at the start. */
  void fetchOnce(ThreadTeam team, Matrix rows) {
    RowExchange once =
        RowExchange.over(group, memory, layout.routes(), RowExchange.Wire.halo(rows.cols()));
    once.start(team, rows, rows);
    once.finish(team);
    once.close();
  }

  @Override
  public void close() {
    if (asTheyAre != null) {
      asTheyAre.close();
    }
    for (HaloPassage passage : passages) {
      RowExchange rounded = passage.rounded();
      if (rounded != null) {
        rounded.close();
      }
    }
  }
}
