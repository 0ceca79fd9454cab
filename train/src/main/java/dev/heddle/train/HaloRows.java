package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Pending;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.program.Halo;
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
  private int width = 1;
  private @Nullable RowExchange exchange;

  private HaloRows(Group group, Memory memory, RowExchange.Routes routes) {
    this.group = group;
    this.memory = memory;
    this.routes = routes;
  }

  static HaloRows of(Group group, GraphPart part, Memory memory) {
    return new HaloRows(group, memory, routes(group, part));
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
  public void expect(int cols) {
    width = Math.max(width, cols);
  }

  /** Rows that this worker sends in one exchange. */
  long sentRows() {
    long rows = 0;
    for (int[] list : routes.sent()) {
      rows += list.length;
    }
    return rows;
  }

  /** Made when all widths are known; all workers come here in the same order. */
  private RowExchange exchange() {
    if (exchange == null) {
      exchange = RowExchange.over(group, memory, routes, RowExchange.Wire.halo(width));
    }
    return exchange;
  }

  /** Fills the halo's rows once, by an exchange that is not kept: for what is told at the start. */
  void fetchOnce(Workers workers, Matrix rows) {
    RowExchange once = RowExchange.over(group, memory, routes, RowExchange.Wire.halo(rows.cols()));
    once.start(workers, rows, rows);
    once.finish(workers);
    once.close();
  }

  @Override
  public void fetch(Workers workers, Matrix rows) {
    exchange().start(workers, rows, rows);
    exchange().finish(workers);
  }

  @Override
  public void giveBack(Workers workers, Matrix gradient) {
    exchange().startBack(workers, gradient, gradient);
    exchange().finishBack(workers);
  }

  @Override
  public void close() {
    if (exchange != null) {
      exchange.close();
    }
  }
}
