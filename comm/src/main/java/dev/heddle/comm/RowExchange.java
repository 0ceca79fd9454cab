package dev.heddle.comm;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows between workers before a layer can run, and their gradients back: the linear map
 * {@code halo = E x} over all workers, and its adjoint {@code g += Eᵀ h}.
 *
 * <p>{@code start} packs and sends and returns at once, so that the worker can compute what needs
 * no other's rows until {@code finish}. One round is under way at a time, forward or back. Each
 * says what kind of messages it is, by which bytes and waiting are counted, so that one exchange
 * serves training and evaluations. Gradients of a row that went to several workers are added in the
 * order of their ranks. A pair of workers that have nothing for each other exchanges no message.
 *
 * <p>Rounds may differ in columns. Buffers are as large as the widest round so far needed: one that
 * is wider replaces them, all others allocate nothing.
 *
 * <p>An exchange whose lists change ({@link #changing}) takes others between any two rounds.
 *
 * <p>Where the codec rounds, rows may have widths of their own, there and back: {@link #assign}
 * tells them to those who will receive them, so that a round carries nothing but rows.
 */
public final class RowExchange implements AutoCloseable {
  /**
   * Which rows go where, a list for every rank of the group (empty for the own one). Worker a's
   * {@code sent[b]} and worker b's {@code received[a]} are equally long and in the same order; none
   * names a row twice.
   *
   * @param sent per peer, rows of the source matrix
   * @param received per peer, rows of the halo matrix
   */
  @SuppressWarnings("ArrayRecordComponent") // Lists of up to millions of rows, read once.
  public record Routes(int[][] sent, int[][] received) {}

  /**
   * Which rows go where in the rounds to come, in memory of those who make the lists. Those of a
   * rank begin at its start and end at the next one.
   *
   * @param sent ints: rows of the source matrix, by rank
   * @param received ints: rows of the halo matrix, by rank
   * @param ids of both matrices' rows, by which draws are keyed
   */
  @SuppressWarnings("ArrayRecordComponent") // Rewritten by those who make the lists.
  public record Lists(
      MemorySegment sent,
      int[] sentStarts,
      MemorySegment received,
      int[] receivedStarts,
      RowIds ids) {}

  private static final Kind[] KINDS = Kind.values();

  private final Group group;
  private final Memory memory;
  private final Codec codec;
  private final Channel[] channels;
  private final ExchangeTally[] tallies = new ExchangeTally[KINDS.length];
  private final long forwardTag;
  private final long backTag;
  private final int firstToSend;
  private Round round = Round.NONE;
  private @Nullable Matrix target;
  private long key;
  private ExchangeTally tally;
  private long began;

  private enum Round {
    NONE,
    FORWARD,
    BACK
  }

  private RowExchange(Group group, Memory memory, Routes routes, Codec codec, boolean changing) {
    this.group = group;
    this.memory = memory;
    this.codec = codec;
    for (Kind kind : KINDS) {
      tallies[kind.number()] = new ExchangeTally(kind);
    }
    tally = tallies[0];
    forwardTag = group.nextTag();
    backTag = group.nextTag();
    if (routes.sent.length != group.size() || routes.received.length != group.size()) {
      throw new IllegalArgumentException("an exchange needs a list for each of the group's ranks");
    }
    List<Channel> used = new ArrayList<>();
    for (int peer = 0; peer < group.size(); peer++) {
      int[] sent = routes.sent[peer];
      int[] received = routes.received[peer];
      if (peer != group.rank() && (changing || sent.length + received.length > 0)) {
        used.add(
            new Channel(
                peer,
                new ExchangeSide(group, memory, codec, new ExchangeSide.Listed(peer, sent, false)),
                new ExchangeSide(
                    group, memory, codec, new ExchangeSide.Listed(peer, received, true))));
      }
    }
    channels = used.toArray(Channel[]::new);
    firstToSend = (int) used.stream().filter(c -> c.peer < group.rank()).count();
  }

  /**
   * An exchange of a group; all its workers make their exchanges in the same order.
   *
   * @param memory what lists and buffers take counts in it; they are freed with the exchange
   */
  public static RowExchange over(Group group, Memory memory, Routes routes, Codec codec) {
    return of(group, memory, routes, codec, /* changing= */ false);
  }

  /**
   * An exchange whose lists change, and are empty until {@link #list} is called. Their memory is
   * that of the largest so far.
   */
  public static RowExchange changing(Group group, Memory memory, Codec codec) {
    int[][] none = new int[group.size()][0];
    return of(group, memory, new Routes(none, none), codec, /* changing= */ true);
  }

  private static RowExchange of(
      Group group, Memory memory, Routes routes, Codec codec, boolean changing) {
    Memory own = memory.child();
    try {
      return new RowExchange(group, own, routes, codec, changing);
    } catch (RuntimeException | Error e) {
      own.close();
      throw e;
    }
  }

  /** Takes these lists for all rounds until others are given; they must stay where they are. */
  public void list(Lists lists) {
    checkFinished();
    for (Channel c : channels) {
      int first = lists.sentStarts[c.peer];
      c.sent.list(lists.sent, first, lists.sentStarts[c.peer + 1] - first, lists.ids);
      first = lists.receivedStarts[c.peer];
      c.received.list(lists.received, first, lists.receivedStarts[c.peer + 1] - first, lists.ids);
    }
  }

  /** The most bytes of memory that an exchange takes once rounds had so many columns. */
  public static long bytes(Routes routes, Codec codec, int cols) {
    long bytes = 0;
    for (int[][] side : new int[][][] {routes.sent, routes.received}) {
      for (int[] rows : side) {
        bytes += ExchangeSide.bytes(codec, rows.length, cols);
      }
    }
    return bytes;
  }

  /**
   * The bytes of memory that an exchange takes, known by how many rows go where before anybody says
   * which: rows of the halo follow one another, and rounds have these columns.
   *
   * @param sent rows per peer
   * @param received rows per peer
   * @param there columns of rounds forward
   * @param back columns of rounds back
   */
  public static long bytes(Codec codec, int[] sent, int[] received, int[] there, int[] back) {
    int[] none = {};
    long bytes = 0;
    for (int peer = 0; peer < sent.length; peer++) {
      bytes += ExchangeSide.bytes(codec, sent[peer], there, none, back);
      bytes += ExchangeSide.bytes(codec, received[peer], back, there, none);
    }
    return bytes;
  }

  /** What one worker sends in a round in which so many rows go to each peer. */
  public static Sent.Amount sent(int[] rows, long rowBytes) {
    Sent.Amount sum = Sent.Amount.NONE;
    for (int count : rows) {
      // Who has nothing for another sends no message.
      sum = count == 0 ? sum : sum.plus(new Sent.Amount(count * rowBytes, 1));
    }
    return sum;
  }

  /** Bytes of memory that this exchange takes now. */
  public long bytes() {
    return memory.bytes();
  }

  /**
   * Draws by this key from now on, where the codec draws. A row is rounded alike for all who get
   * it; gradients of a row that several workers send back are rounded by each in its own way.
   */
  public void drawsBy(long drawKey) {
    key = drawKey;
  }

  /**
   * Sends rows of {@code source}, which is free again on return, and makes ready to receive into
   * {@code halo}, which must not be touched before {@link #finish}.
   *
   * @param kind of the messages; all workers say the same of a round
   */
  public void start(ThreadTeam team, Matrix source, Matrix halo, Kind kind) {
    begin(Round.FORWARD, source, halo, kind);
    for (Channel c : channels) {
      c.received.receive(tally, forwardTag, halo, true);
    }
    long draws = Draws.at(key, 0);
    for (int i = 0; i < channels.length; i++) {
      inTurn(i).sent.send(team, tally, forwardTag, source, draws);
    }
  }

  /** Waits for the rows of all peers, and leaves them in the halo matrix. */
  public void finish(ThreadTeam team) {
    Matrix halo = end(Round.FORWARD);
    long last = began;
    for (Channel c : channels) {
      c.received.take(team, tally, halo, false);
      last = c.sent.freed(c.received.freed(c.received.latest(last)));
    }
    tally.travelled(last - began);
  }

  /**
   * Sends the gradient of the halo, which is free again on return, to the owners of its rows.
   *
   * @param kind of the messages; all workers say the same of a round
   */
  public void startBack(ThreadTeam team, Matrix haloGradient, Matrix gradient, Kind kind) {
    begin(Round.BACK, haloGradient, gradient, kind);
    for (Channel c : channels) {
      c.sent.receive(tally, backTag, gradient, false);
    }
    long draws = Draws.at(key, 1L + group.rank());
    for (int i = 0; i < channels.length; i++) {
      inTurn(i).received.send(team, tally, backTag, haloGradient, draws);
    }
  }

  /** Adds what came back to the gradient of the rows that were sent. */
  public void finishBack(ThreadTeam team) {
    Matrix gradient = end(Round.BACK);
    long last = began;
    for (Channel c : channels) {
      c.sent.take(team, tally, gradient, true);
      last = c.sent.freed(c.received.freed(c.sent.latest(last)));
    }
    tally.travelled(last - began);
  }

  /** Bits of every row, in the order of the routes: a list for every rank of the group. */
  @SuppressWarnings("ArrayRecordComponent") // Lists of up to millions of rows, read once.
  public record Widths(byte[][] sent, byte[][] back) {}

  /**
   * Gives the rows that this worker sends from now on, there and back, numbers of bits of their
   * own. All workers call it between the same rounds; each tells its peers.
   */
  public void assign(Widths widths) {
    checkFinished();
    for (Channel c : channels) {
      c.sent.tellWidths(widths.sent[c.peer], forwardTag);
      c.received.tellWidths(widths.back[c.peer], backTag);
    }
    for (Channel c : channels) {
      c.received.hearWidths(forwardTag);
      c.sent.hearWidths(backTag);
    }
  }

  /** How many rows this worker sends at a number of bits (32 as they are), there or back. */
  public long count(int bits, boolean back) {
    long rows = 0;
    for (Channel c : channels) {
      rows += (back ? c.received : c.sent).count(bits);
    }
    return rows;
  }

  /**
   * Per rank and row that this worker sends there or back, the sum of {@code (max − min)²} of all
   * rounds since {@link #clearRanges}.
   */
  public float[][] squaredRanges(boolean back) {
    float[][] ranges = new float[group.size()][0];
    for (Channel c : channels) {
      ranges[c.peer] = (back ? c.received : c.sent).squaredRanges();
    }
    return ranges;
  }

  public void clearRanges() {
    for (Channel c : channels) {
      c.sent.clearRanges();
      c.received.clearRanges();
    }
  }

  /**
   * Adds how long all rounds so far took, and what was sent, to figures in the order of {@link
   * ExchangeTimes}, without making anything of it.
   */
  public void addTimesTo(long[] figures) {
    for (ExchangeTally each : tallies) {
      each.addTo(figures);
    }
  }

  /** How long all rounds so far took. */
  public ExchangeTimes times() {
    return ExchangeTally.times(tallies);
  }

  /** How long this worker waited in all rounds so far, without making anything of it. */
  public long exposedNanos() {
    long sum = 0;
    for (ExchangeTally each : tallies) {
      sum += each.exposedNanos();
    }
    return sum;
  }

  /** How long all rounds of a kind so far took. */
  public ExchangeTimes times(Kind kind) {
    return tallies[kind.number()].times();
  }

  /**
   * Waits until everything sent has left, and frees the exchange's memory; that of a round which
   * was never finished is freed with the memory it was taken from.
   */
  @Override
  public void close() {
    for (Channel c : channels) {
      c.sent.awaitSent();
      c.received.awaitSent();
    }
    if (round == Round.NONE) {
      memory.close();
    }
  }

  private void begin(Round next, Matrix from, Matrix to, Kind kind) {
    checkFinished();
    if (from.cols() != to.cols()) {
      throw new IllegalArgumentException("cannot exchange " + from + " and " + to);
    }
    codec.checkCols(from.cols());
    round = next;
    target = to;
    tally = tallies[kind.number()];
    began = System.nanoTime();
  }

  private void checkFinished() {
    if (round != Round.NONE) {
      throw new IllegalStateException("the last round of this exchange is not finished");
    }
  }

  private Matrix end(Round expected) {
    if (round != expected || target == null) {
      throw new IllegalStateException("there is no round of this exchange to finish");
    }
    Matrix matrix = target;
    round = Round.NONE;
    target = null;
    return matrix;
  }

  /** Channels beginning after this worker's rank, so that not all send to the same one first. */
  private Channel inTurn(int i) {
    return channels[(firstToSend + i) % channels.length];
  }

  /** What goes between this worker and another. */
  private record Channel(int peer, ExchangeSide sent, ExchangeSide received) {}
}
