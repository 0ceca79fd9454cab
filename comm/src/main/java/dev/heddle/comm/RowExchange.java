package dev.heddle.comm;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows between workers before a layer can run, and their gradients back: the linear map
 * {@code halo = E x} over all workers, and its adjoint {@code g += Eᵀ h}.
 *
 * <p>{@code start} packs and sends and returns at once, so that the worker can compute what needs
 * no other's rows until {@code finish}. One round is under way at a time, forward or back; rounds
 * may differ in width. Gradients of a row that went to several workers are added in the order of
 * their ranks. A pair of workers that have nothing for each other exchanges no message. In steady
 * state nothing is allocated.
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
   * How rows travel.
   *
   * @param width the most columns that a round may have
   */
  public record Wire(Kind kind, int width, Codec codec) {
    /** Rows of neighbours as they are. */
    public static Wire halo(int width) {
      return new Wire(Kind.HALO, width, Codec.FP32);
    }
  }

  private final Group group;
  private final Wire wire;
  private final Channel[] channels;
  private final long forwardTag;
  private final long backTag;
  private final int firstToSend;
  private Round round = Round.NONE;
  private @Nullable Matrix target;
  private long key;
  private long began;
  private long travelNanos;

  private enum Round {
    NONE,
    FORWARD,
    BACK
  }

  private RowExchange(Group group, Memory memory, Routes routes, Wire wire) {
    this.group = group;
    this.wire = wire;
    forwardTag = group.nextTag();
    backTag = group.nextTag();
    if (routes.sent.length != group.size() || routes.received.length != group.size()) {
      throw new IllegalArgumentException("an exchange needs a list for each of the group's ranks");
    }
    List<Channel> used = new ArrayList<>();
    for (int peer = 0; peer < group.size(); peer++) {
      int[] sent = routes.sent[peer];
      int[] received = routes.received[peer];
      if (sent.length + received.length > 0) {
        used.add(
            new Channel(
                peer,
                new ExchangeSide(group, memory, wire, new ExchangeSide.Listed(peer, sent, false)),
                new ExchangeSide(
                    group, memory, wire, new ExchangeSide.Listed(peer, received, true))));
      }
    }
    channels = used.toArray(Channel[]::new);
    firstToSend = (int) used.stream().filter(c -> c.peer < group.rank()).count();
  }

  /** An exchange of a group; all its workers make their exchanges in the same order. */
  public static RowExchange over(Group group, Memory memory, Routes routes, Wire wire) {
    return new RowExchange(group, memory, routes, wire);
  }

  /** Bytes of memory that an exchange takes, at most. */
  public static long bytes(Routes routes, Wire wire) {
    long bytes = 0;
    for (int[][] side : new int[][][] {routes.sent, routes.received}) {
      for (int[] rows : side) {
        bytes += ExchangeSide.bytes(wire, rows.length);
      }
    }
    return bytes;
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
   */
  public void start(ThreadTeam team, Matrix source, Matrix halo) {
    begin(Round.FORWARD, source, halo);
    for (Channel c : channels) {
      c.received.receive(forwardTag, halo, true);
    }
    long draws = Draws.at(key, 0);
    for (int i = 0; i < channels.length; i++) {
      inTurn(i).sent.send(team, forwardTag, source, draws);
    }
  }

  /** Waits for the rows of all peers, and leaves them in the halo matrix. */
  public void finish(ThreadTeam team) {
    Matrix halo = end(Round.FORWARD);
    long last = began;
    for (Channel c : channels) {
      c.received.take(team, halo, false);
      last = c.sent.freed(c.received.freed(c.received.latest(last)));
    }
    travelNanos += last - began;
  }

  /** Sends the gradient of the halo, which is free again on return, to the owners of its rows. */
  public void startBack(ThreadTeam team, Matrix haloGradient, Matrix gradient) {
    begin(Round.BACK, haloGradient, gradient);
    for (Channel c : channels) {
      c.sent.receive(backTag, gradient, false);
    }
    long draws = Draws.at(key, 1L + group.rank());
    for (int i = 0; i < channels.length; i++) {
      inTurn(i).received.send(team, backTag, haloGradient, draws);
    }
  }

  /** Adds what came back to the gradient of the rows that were sent. */
  public void finishBack(ThreadTeam team) {
    Matrix gradient = end(Round.BACK);
    long last = began;
    for (Channel c : channels) {
      c.sent.take(team, gradient, true);
      last = c.sent.freed(c.received.freed(c.sent.latest(last)));
    }
    travelNanos += last - began;
  }

  /** Bits of every row, in the order of the routes: a list for every rank of the group. */
  @SuppressWarnings("ArrayRecordComponent") // Lists of up to millions of rows, read once.
  public record Widths(byte[][] sent, byte[][] back) {}

  /**
   * Gives the rows that this worker sends from now on, there and back, numbers of bits of their
   * own. All workers call it between the same rounds; each tells its peers.
   */
  public void assign(Widths widths) {
    if (round != Round.NONE) {
      throw new IllegalStateException("the last round of this exchange is not finished");
    }
    try (Memory memory = new Memory()) {
      for (Channel c : channels) {
        c.sent.tellWidths(widths.sent[c.peer], forwardTag);
        c.received.tellWidths(widths.back[c.peer], backTag);
      }
      for (Channel c : channels) {
        c.received.hearWidths(memory, forwardTag);
        c.sent.hearWidths(memory, backTag);
      }
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

  /** How long all rounds so far took. */
  public ExchangeTimes times() {
    long exposed = 0;
    long coding = 0;
    long sent = 0;
    for (Channel c : channels) {
      exposed += c.sent.waitingNanos() + c.received.waitingNanos();
      coding += c.sent.codingNanos() + c.received.codingNanos();
      sent += c.sent.sentBytes() + c.received.sentBytes();
    }
    return new ExchangeTimes(travelNanos, exposed, coding, sent);
  }

  /** Waits until everything sent has left, after which the exchange's memory may be freed. */
  @Override
  public void close() {
    for (Channel c : channels) {
      c.sent.close();
      c.received.close();
    }
  }

  private void begin(Round next, Matrix from, Matrix to) {
    if (round != Round.NONE) {
      throw new IllegalStateException("the last round of this exchange is not finished");
    }
    if (from.cols() != to.cols() || from.cols() > wire.width) {
      throw new IllegalArgumentException(
          "cannot exchange " + from + " and " + to + " at a width of " + wire.width);
    }
    round = next;
    target = to;
    began = System.nanoTime();
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
