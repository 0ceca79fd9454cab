package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;

/**
 * One list of rows between this worker and another with its buffer: written to be sent, or filled
 * by the peer. What goes out and what comes in may have widths of their own.
 */
final class ExchangeSide {
  private final RowCoder outgoing;
  private final RowCoder incoming;
  private final MemorySegment buffer;
  private final Transfer out;
  private final Transfer in;
  private final Transfer tell;
  private final Transfer hear;
  private boolean inPlace;
  private long codingNanos;
  private long waitingNanos;
  private long freed = System.nanoTime();
  private long sentBytes;

  /**
   * Which rows.
   *
   * @param ofHalo whether they are of the halo matrix; else of the source
   */
  @SuppressWarnings("ArrayRecordComponent") // Read once.
  record Listed(int peer, int[] rows, boolean ofHalo) {}

  ExchangeSide(Group group, Memory memory, RowExchange.Wire wire, Listed list) {
    Codec codec = wire.codec();
    outgoing = codec.coder(memory, list.rows, list.ofHalo);
    // Rows as they are have nothing of their own to keep apart.
    incoming = outgoing.rounded() == null ? outgoing : codec.coder(memory, list.rows, list.ofHalo);
    buffer = memory.allocate(codec.maxBytes(list.rows.length, wire.width()));
    out = group.to(list.peer, wire.kind());
    in = group.from(list.peer, wire.kind());
    tell = group.to(list.peer, Kind.CONTROL);
    hear = group.from(list.peer, Kind.CONTROL);
  }

  static long bytes(RowExchange.Wire wire, int rows) {
    return wire.codec().maxBytes(rows, wire.width()) + 2 * wire.codec().memoryBytes(rows) + 128;
  }

  int count() {
    return outgoing.count();
  }

  void send(ThreadTeam team, long tag, Matrix source, long key) {
    if (count() > 0) {
      awaitBuffer();
      long began = System.nanoTime();
      outgoing.encode(team, source, buffer, key);
      codingNanos += System.nanoTime() - began;
      long bytes = outgoing.bytes(source.cols());
      sentBytes += bytes;
      out.start(tag, buffer, 0, bytes);
    }
  }

  void receive(long tag, Matrix into, boolean overwrites) {
    if (count() > 0) {
      awaitBuffer();
      long bytes = incoming.bytes(into.cols());
      int from = overwrites ? incoming.liesFrom(into.cols()) : -1;
      inPlace = from >= 0;
      if (inPlace) {
        in.start(tag, into.data(), into.offset(from), bytes);
      } else {
        in.start(tag, buffer, 0, bytes);
      }
    }
  }

  /** Waits until what was sent last from this buffer has left. */
  private void awaitBuffer() {
    long began = System.nanoTime();
    close();
    long waited = Math.min(System.nanoTime(), out.arrived()) - began;
    if (waited > 0) {
      waitingNanos += waited;
      freed = began + waited;
    }
  }

  /** The later of a {@link System#nanoTime} and when the buffer was free, if it was waited for. */
  long freed(long time) {
    return freed - time > 0 ? freed : time;
  }

  /** Waits for what comes in, and puts it or adds it to where it belongs. */
  void take(ThreadTeam team, Matrix into, boolean add) {
    if (count() == 0) {
      return;
    }
    long began = System.nanoTime();
    in.await();
    long awaited = System.nanoTime();
    // Until it was there: who wakes up late waits for a processor.
    waitingNanos += Math.max(0, Math.min(awaited, in.arrived()) - began);
    if (add) {
      incoming.decodeAdd(team, buffer, into);
    } else if (!inPlace) {
      incoming.decode(team, buffer, into);
    }
    codingNanos += System.nanoTime() - awaited;
  }

  /** The later of a {@link System#nanoTime} and when the last message was here, if any came. */
  long latest(long time) {
    return count() > 0 && in.arrived() - time > 0 ? in.arrived() : time;
  }

  /** Waits until what was sent last has left. */
  void close() {
    out.await();
    tell.await();
  }

  /** Nanoseconds of packing and unpacking so far. */
  long codingNanos() {
    return codingNanos;
  }

  /** Nanoseconds of waiting for what comes in, and for buffers to be free, so far. */
  long waitingNanos() {
    return waitingNanos;
  }

  /** Bytes of rows that went out so far. */
  long sentBytes() {
    return sentBytes;
  }

  /** Rows that go out at a number of bits, 32 for as they are. */
  int count(int bits) {
    QuantisedRows rows = outgoing.rounded();
    return rows != null ? rows.count(bits) : bits == 32 ? count() : 0;
  }

  /** Gives the rows that go out their widths and starts to tell the peer. */
  void tellWidths(byte[] bits, long tag) {
    rows(outgoing).widths(bits);
    if (count() > 0) {
      out.await();
      MemorySegment.copy(bits, 0, buffer, JAVA_BYTE, 0, bits.length);
      tell.start(tag, buffer, 0, bits.length);
    }
  }

  /** Is told the widths of the rows that will come in. */
  void hearWidths(Memory memory, long tag) {
    if (count() > 0) {
      MemorySegment bits = memory.allocate(count());
      hear.start(tag, bits, 0, count());
      hear.await();
      rows(incoming).widths(bits.asSlice(0, count()).toArray(JAVA_BYTE));
    }
  }

  /** Per row, what {@link QuantisedRows#squaredRange} says of what went out. */
  float[] squaredRanges() {
    float[] ranges = new float[count()];
    for (int i = 0; i < ranges.length; i++) {
      ranges[i] = rows(outgoing).squaredRange(i);
    }
    return ranges;
  }

  void clearRanges() {
    rows(outgoing).clearRanges();
  }

  private static QuantisedRows rows(RowCoder coder) {
    QuantisedRows rows = coder.rounded();
    if (rows == null) {
      throw new IllegalStateException("rows of this exchange travel as they are");
    }
    return rows;
  }
}
