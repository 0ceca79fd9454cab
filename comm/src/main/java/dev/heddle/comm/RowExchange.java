package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PackedRows;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;
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

  private final Wire wire;
  private final Channel[] channels;
  private final long forwardTag;
  private final long backTag;
  private final int firstToSend;
  private Round round = Round.NONE;
  private @Nullable Matrix target;

  private enum Round {
    NONE,
    FORWARD,
    BACK
  }

  private RowExchange(Group group, Memory memory, Routes routes, Wire wire) {
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
                new Side(group, memory, peer, sent),
                new Side(group, memory, peer, received)));
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
        bytes += wire.codec.maxBytes(rows.length, wire.width) + 4L * rows.length + 128;
      }
    }
    return bytes;
  }

  /**
   * Sends rows of {@code source}, which is free again on return, and makes ready to receive into
   * {@code halo}, which must not be touched before {@link #finish}.
   */
  public void start(Workers workers, Matrix source, Matrix halo) {
    begin(Round.FORWARD, source, halo);
    for (Channel c : channels) {
      c.received.receive(forwardTag, halo, true);
    }
    for (int i = 0; i < channels.length; i++) {
      inTurn(i).sent.send(workers, forwardTag, source);
    }
  }

  /** Waits for the rows of all peers, and leaves them in the halo matrix. */
  public void finish(Workers workers) {
    Matrix halo = end(Round.FORWARD);
    for (Channel c : channels) {
      c.received.take(workers, halo, false);
    }
  }

  /** Sends the gradient of the halo, which is free again on return, to the owners of its rows. */
  public void startBack(Workers workers, Matrix haloGradient, Matrix gradient) {
    begin(Round.BACK, haloGradient, gradient);
    for (Channel c : channels) {
      c.sent.receive(backTag, gradient, false);
    }
    for (int i = 0; i < channels.length; i++) {
      inTurn(i).received.send(workers, backTag, haloGradient);
    }
  }

  /** Adds what came back to the gradient of the rows that were sent. */
  public void finishBack(Workers workers) {
    Matrix gradient = end(Round.BACK);
    for (Channel c : channels) {
      c.sent.take(workers, gradient, true);
    }
  }

  /** Waits until everything sent has left, after which the exchange's memory may be freed. */
  @Override
  public void close() {
    for (Channel c : channels) {
      c.sent.out.await();
      c.received.out.await();
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
  private record Channel(int peer, Side sent, Side received) {}

  /** One list of rows of a channel with its buffer: written to be sent, or filled by the peer. */
  private final class Side {
    private final PackedRows rows;
    private final MemorySegment buffer;
    private final Transfer out;
    private final Transfer in;
    private boolean inPlace;

    Side(Group group, Memory memory, int peer, int[] list) {
      rows = PackedRows.of(memory, list);
      buffer = memory.allocate(wire.codec.maxBytes(list.length, wire.width));
      out = group.to(peer, wire.kind);
      in = group.from(peer, wire.kind);
    }

    void send(Workers workers, long tag, Matrix source) {
      if (rows.count() > 0) {
        out.await(); // What was sent last from this buffer.
        long bytes = wire.codec.bytes(rows, source.cols());
        wire.codec.encode(workers, source, rows, buffer);
        out.start(tag, buffer, 0, bytes);
      }
    }

    void receive(long tag, Matrix into, boolean overwrites) {
      if (rows.count() > 0) {
        out.await();
        long bytes = wire.codec.bytes(rows, into.cols());
        inPlace = overwrites && wire.codec.liesAsItTravels(rows, into.cols());
        if (inPlace) {
          in.start(tag, into.data(), into.offset(rows.row(0)), bytes);
        } else {
          in.start(tag, buffer, 0, bytes);
        }
      }
    }

    void take(Workers workers, Matrix into, boolean add) {
      if (rows.count() == 0) {
        return;
      }
      in.await();
      if (add) {
        wire.codec.decodeAdd(workers, buffer, rows, into);
      } else if (!inPlace) {
        wire.codec.decode(workers, buffer, rows, into);
      }
    }
  }
}
