package dev.heddle.train.layers;

import dev.heddle.comm.Codec;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Step;
import dev.heddle.train.halo.HaloLayout;
import dev.heddle.train.halo.StepExchange;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.settings.CodecKind;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Rows of other ways' vertices that this way's arcs come from. The ways of a stage take their
 * chunks in one order; when all are at their c-th chunk, they exchange those of its rows that
 * others mirror ({@code 2 L M H · 4} bytes in an epoch, M being the mirrors of all ways).
 */
final class Mirrors implements AutoCloseable {
  /** No value. */
  private static final int NONE = -1;

  private final Group ways;
  private final Memory memory;
  private final int[] vertices;
  private final int[] first;
  private final RowExchange.Routes[] routes;
  private final int[] underWay;
  private StepExchange[] exchanges = {};

  private Mirrors(Group ways, Memory memory, int[] vertices, int[] first, int chunks) {
    this.ways = ways;
    this.memory = memory;
    this.vertices = vertices;
    this.first = first;
    routes = new RowExchange.Routes[chunks];
    underWay = new int[chunks];
    Arrays.fill(underWay, NONE);
  }

  /**
   * The mirrors of a way; all ways of a stage make theirs at the same point.
   *
   * @param own where each chunk's rows begin, and their end
   * @param parts this way's chunks
   */
  static Mirrors of(
      Graph graph,
      Partition partition,
      Chunks chunks,
      Group ways,
      int[] own,
      GraphPart[] parts,
      Memory memory) {
    int k = ways.size();
    int count = chunks.perWay();
    try (Memory scratch = memory.child()) {
      GraphPart part = GraphPart.of(graph, partition, ways.rank(), scratch);
      RowExchange.Routes all = HaloLayout.ofRows(ways, part, scratch).routes();
      int mirrors = part.sources() - part.vertices();
      int[] vertices = IntStream.range(part.vertices(), part.sources()).map(part::vertex).toArray();
      int[] first =
          IntStream.rangeClosed(0, k)
              .map(w -> w == k ? mirrors : part.firstHaloRow(w) - part.vertices())
              .toArray();
      Mirrors made = new Mirrors(ways, memory, vertices, first, count);
      for (int c = 0; c < count; c++) {
        int chunk = c;
        int[][] sent = new int[k][];
        int[][] received = new int[k][];
        for (int way = 0; way < k; way++) {
          int theirs = way * count + chunk;
          int ours = ways.rank() * count + chunk;
          sent[way] =
              Arrays.stream(all.sent()[way])
                  .map(part::vertex)
                  .filter(v -> chunks.partition().partOf(v) == ours)
                  .map(v -> own[chunk] + parts[chunk].rowOf(v))
                  .toArray();
          received[way] =
              Arrays.stream(all.received()[way])
                  .filter(row -> chunks.partition().partOf(part.vertex(row)) == theirs)
                  .map(row -> own[count] + row - part.vertices())
                  .toArray();
        }
        made.routes[c] = new RowExchange.Routes(sent, received);
      }
      return made;
    }
  }

  /** How many there are: they lie behind this way's own rows. */
  int count() {
    return vertices.length;
  }

  /** What a mirror is called in the whole graph. */
  int vertex(int mirror) {
    return vertices[mirror];
  }

  /** Which mirror is a vertex of another way. */
  int of(int way, int vertex) {
    return Arrays.binarySearch(vertices, first[way], first[way + 1], vertex);
  }

  /** Readies exchanges of one chunk each, for all values. */
  void exchangeBy(CodecKind codec, RowIds ids, Lane lane) {
    exchanges = new StepExchange[routes.length];
    for (int c = 0; c < exchanges.length; c++) {
      exchanges[c] =
          new StepExchange(
              ways, memory, routes[c], codec, new StepExchange.Rows(ids, ids, Kind.HALO), lane);
    }
  }

  /** Sends a chunk's rows of a value to those who mirror them, and makes ready for theirs. */
  void start(ThreadTeam team, int chunk, int value, Matrix rows, Step step) {
    exchanges[chunk].start(team, rows, rows, step, value);
    underWay[chunk] = value;
  }

  /**
   * Waits for the rows of a value: those of one chunk in training; in an exact forward, in which
   * all chunks have set out, those of all, because each of them reads the others'.
   */
  void finish(ThreadTeam team, int value) {
    for (int c = 0; c < exchanges.length; c++) {
      if (underWay[c] == value) {
        exchanges[c].finish(team);
        underWay[c] = NONE;
      }
    }
  }

  /** Gives the gradients of mirrors of a chunk's vertices back to their owners. */
  void startBack(ThreadTeam team, int chunk, int value, Matrix gradients, Step step) {
    exchanges[chunk].startBack(team, gradients, gradients, step, value);
  }

  /** Adds what others give back for this way's own rows of a chunk. */
  void finishBack(ThreadTeam team, int chunk) {
    exchanges[chunk].finishBack(team);
  }

  /** Adds how long rows travelled so far. */
  void addTimesTo(long[] figures) {
    for (StepExchange exchange : exchanges) {
      exchange.addTimesTo(figures);
    }
  }

  /** Fills the mirrors of a matrix once, by exchanges that are not kept. */
  void fetchOnce(ThreadTeam team, Matrix rows) {
    try (Memory scratch = memory.child()) {
      for (RowExchange.Routes ofChunk : routes) {
        RowExchange once = RowExchange.over(ways, scratch, ofChunk, Codec.FP32);
        once.start(team, rows, rows, Kind.HALO);
        once.finish(team);
        once.close();
      }
    }
  }

  @Override
  public void close() {
    for (StepExchange exchange : exchanges) {
      exchange.close();
    }
  }
}
