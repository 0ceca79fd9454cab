package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Codec;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Pending;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Passage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
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
    int[][] sent = new int[k][];
    try (Memory lists = new Memory()) {
      List<Pending> sends = new ArrayList<>();
      MemorySegment[] wanted = new MemorySegment[k];
      for (int peer = 0; peer < k; peer++) {
        int asked = Math.toIntExact(needs[peer * k + group.rank()]);
        sent[peer] = new int[asked];
        wanted[peer] = lists.allocateInts(asked).asSlice(0, 4L * asked);
        if (received[peer].length > 0) {
          MemorySegment list = lists.allocateInts(received[peer].length);
          for (int i = 0; i < received[peer].length; i++) {
            list.setAtIndex(JAVA_INT, i, part.vertex(received[peer][i]));
          }
          MemorySegment bytes = list.asSlice(0, 4L * received[peer].length);
          sends.add(group.send(peer, /* tag= */ 0, Kind.CONTROL, bytes));
        }
      }
      for (int peer = 0; peer < k; peer++) {
        if (sent[peer].length > 0) {
          group.receive(peer, /* tag= */ 0, Kind.CONTROL, wanted[peer]).await();
          for (int i = 0; i < sent[peer].length; i++) {
            sent[peer][i] = part.rowOf(wanted[peer].getAtIndex(JAVA_INT, i));
          }
        }
      }
      sends.forEach(Pending::await);
    }
    return new RowExchange.Routes(sent, received);
  }

  @Override
  public Passage passage(int cols, boolean constant) {
    width = Math.max(width, cols);
    // What travels once need not be small, and is exact.
    boolean rounds = codec.rounds() && !constant;
    HaloPassage made = new HaloPassage(this, cols, passages.size(), rounds);
    passages.add(made);
    return made;
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
