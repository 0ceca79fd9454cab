package dev.heddle.train;

import dev.heddle.comm.Codec;
import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Travelling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The halo of a part, by an exchange between all workers: every worker tells the owners once which
 * of their vertices it needs, and gets their rows each time a layer reads them.
 */
final class HaloRows implements Halo, AutoCloseable {
  private final Group group;
  private final Memory memory;
  private final RowExchange.Routes routes;
  private final RowIds ids;
  private final HaloCodec codec;
  private final boolean overlap;
  private final int central;
  private final @Nullable RowWidths widths;
  private final List<HaloPassage> passages = new ArrayList<>();
  private int width = 1;
  private @Nullable RowExchange asTheyAre;

  private HaloRows(Group group, GraphPart part, Memory memory, HaloSettings settings) {
    this.group = group;
    this.memory = memory;
    routes = routes(group, part);
    ids = part.ids();
    codec = settings.codec();
    overlap = settings.overlap();
    central = part.central();
    widths = RowWidths.of(group, routes, settings);
  }

  static HaloRows of(Group group, GraphPart part, Memory memory, HaloSettings settings) {
    return new HaloRows(group, part, memory, settings);
  }

  private static RowExchange.Routes routes(Group group, GraphPart part) {
    int k = group.size();
    int[][] received = new int[k][];
    for (int worker = 0; worker < k; worker++) {
      received[worker] =
          IntStream.range(part.firstHaloRow(worker), part.firstHaloRow(worker + 1)).toArray();
    }
    // Entry (a, b) says how many rows of b's vertices worker a needs.
    long[] needs = new long[k * k];
    for (int worker = 0; worker < k; worker++) {
      needs[group.rank() * k + worker] = received[worker].length;
    }
    group.sum(needs);
    int[] asked = new int[k];
    int[][] wanted = new int[k][];
    for (int peer = 0; peer < k; peer++) {
      asked[peer] = Math.toIntExact(needs[peer * k + group.rank()]);
      wanted[peer] = IntStream.of(received[peer]).map(part::vertex).toArray();
    }
    int[][] sent = PeerLists.exchange(group, wanted, asked);
    for (int[] list : sent) {
      Arrays.setAll(list, i -> part.rowOf(list[i]));
    }
    return new RowExchange.Routes(sent, received);
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

  /** Chooses widths of rows anew, when it is time. */
  void before(int epoch) {
    if (widths != null) {
      widths.before(epoch, passages);
    }
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
    return central;
  }

  @Override
  public boolean overlaps() {
    return overlap;
  }

  /** Rows that this worker sends in one exchange. */
  long sentRows() {
    long rows = 0;
    for (int[] list : routes.sent()) {
      rows += list.length;
    }
    return rows;
  }

  /** The exchange that all values share whose rows travel as they are. */
  RowExchange asTheyAre() {
    if (asTheyAre == null) {
      asTheyAre = RowExchange.over(group, memory, routes, RowExchange.Wire.halo(width));
    }
    return asTheyAre;
  }

  /** An exchange for one value, whose rows are rounded. */
  RowExchange rounding(int cols) {
    var wire = new RowExchange.Wire(Kind.HALO, cols, Codec.Quantised.of(codec.bits(), ids));
    return RowExchange.over(group, memory, routes, wire);
  }

  /** Fills the halo's rows once, by an exchange that is not kept: for what is told at the start. */
  void fetchOnce(Workers workers, Matrix rows) {
    RowExchange once = RowExchange.over(group, memory, routes, RowExchange.Wire.halo(rows.cols()));
    once.start(workers, rows, rows);
    once.finish(workers);
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
