package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/**
 * One list of rows between this worker and another with its buffer: written to be sent, or filled
 * by the peer. What goes out and what comes in may have widths of their own. The buffer is replaced
 * by a larger one when a round has more columns, or a list more rows, than any before it.
 */
final class ExchangeSide {
  private final Codec codec;
  private final RowCoder outgoing;
  private final RowCoder incoming;
  private final Memory memory;
  private final Transfer out;
  private final Transfer in;
  private final Transfer tell;
  private final Transfer hear;
  private Memory bufferMemory;
  private MemorySegment buffer = MemorySegment.NULL;
  private boolean inPlace;
  private boolean relisted;
  private long freed = System.nanoTime();

  /**
   * Which rows.
   *
   * @param ofHalo whether they are of the halo matrix; else of the source
   */
  @SuppressWarnings("ArrayRecordComponent") // Read once.
  record Listed(int peer, int[] rows, boolean ofHalo) {}

  ExchangeSide(Group group, Memory memory, Codec codec, Listed list) {
    this.codec = codec;
    this.memory = memory;
    outgoing = codec.coder(memory, list.rows, list.ofHalo);
    // Rows as they are have nothing of their own to keep apart.
    incoming = outgoing.rounded() == null ? outgoing : codec.coder(memory, list.rows, list.ofHalo);
    bufferMemory = memory.child();
    out = group.to(list.peer, Kind.HALO);
    in = group.from(list.peer, Kind.HALO);
    tell = group.to(list.peer, Kind.CONTROL);
    hear = group.from(list.peer, Kind.CONTROL);
  }

  /** The most bytes of memory that a side takes for so many rows, once they had so many columns. */
  static long bytes(Codec codec, int rows, int cols) {
    return bufferBytes(codec, rows, cols) + 2 * codec.memoryBytes(rows) + 128;
  }

  /**
   * The bytes of memory that a side takes for so many rows, each the next of the one before, once
   * it had rounds of some widths.
   *
   * @param sent columns of rounds in which these rows go out
   * @param placed of rounds in which they come in and overwrite others
   * @param added of rounds in which they come in and are added
   */
  static long bytes(Codec codec, int rows, int[] sent, int[] placed, int[] added) {
    if (rows == 0) {
      return 0;
    }
    long buffer = 0;
    for (int cols : IntStream.concat(IntStream.of(sent), IntStream.of(added)).toArray()) {
      buffer = Math.max(buffer, bufferBytes(codec, rows, cols));
    }
    boolean asTheyAre = codec instanceof Codec.AsTheyAre;
    for (int cols : placed) {
      boolean inPlace = asTheyAre && Matrix.strideOf(cols) == cols;
      buffer = inPlace ? buffer : Math.max(buffer, bufferBytes(codec, rows, cols));
    }
    return buffer + (asTheyAre ? 1 : 2) * codec.memoryBytes(rows);
  }

  private static long bufferBytes(Codec codec, int rows, int cols) {
    // Room for the widths of rows, that are told and that are heard, is there in any case.
    return Math.max(codec.maxBytes(rows, cols), 2L * rows);
  }

  /** Takes another list from now on, see {@link RowCoder#list}. */
  void list(MemorySegment rows, int first, int count, RowIds ids) {
    relisted = true;
    outgoing.list(rows, first, count, ids);
    if (outgoing.rounded() != null) {
      incoming.list(rows, first, count, ids);
    }
  }

  int count() {
    return outgoing.count();
  }

  void send(ThreadTeam team, ExchangeTally tally, long tag, Matrix source, long key) {
    if (count() > 0) {
      awaitBuffer(tally);
      require(source.cols());
      long began = System.nanoTime();
      outgoing.encode(team, source, buffer, key);
      tally.coded(System.nanoTime() - began);
      long bytes = outgoing.bytes(source.cols());
      tally.sent(bytes);
      out.startAs(tally.kind(), tag, buffer, 0, bytes);
    }
  }

  void receive(ExchangeTally tally, long tag, Matrix into, boolean overwrites) {
    if (count() > 0) {
      awaitBuffer(tally);
      long bytes = incoming.bytes(into.cols());
      int from = overwrites ? incoming.liesFrom(into.cols()) : -1;
      inPlace = from >= 0;
      if (inPlace) {
        in.startAs(tally.kind(), tag, into.data(), into.offset(from), bytes);
      } else {
        require(into.cols());
        in.startAs(tally.kind(), tag, buffer, 0, bytes);
      }
    }
  }

  /** Waits until what was sent last from this buffer has left. */
  private void awaitBuffer(ExchangeTally tally) {
    long began = System.nanoTime();
    awaitSent();
    long waited = Math.min(System.nanoTime(), out.arrived()) - began;
    if (waited > 0) {
      tally.waited(waited);
      freed = began + waited;
    }
  }

  /**
   * Has a buffer for all rows at so many columns from now on. Nothing may be under way from or into
   * the one that there is.
   */
  private void require(int cols) {
    long bytes = bufferBytes(codec, count(), cols);
    if (buffer.byteSize() < bytes) {
      // First given back, then taken: the two are never there at once.
      buffer = MemorySegment.NULL;
      bufferMemory.close();
      bufferMemory = memory.child();
      // Lists that change soon grow no more, if there is a quarter to spare.
      buffer = bufferMemory.allocate(relisted ? bytes + bytes / 4 : bytes);
    }
  }

  /** The later of a {@link System#nanoTime} and when the buffer was free, if it was waited for. */
  long freed(long time) {
    return freed - time > 0 ? freed : time;
  }

  /** Waits for what comes in, and puts it or adds it to where it belongs. */
  void take(ThreadTeam team, ExchangeTally tally, Matrix into, boolean add) {
    if (count() == 0) {
      return;
    }
    long began = System.nanoTime();
    in.await();
    long awaited = System.nanoTime();
    // Until it was there: who wakes up late waits for a processor.
    tally.waited(Math.max(0, Math.min(awaited, in.arrived()) - began));
    if (add) {
      incoming.decodeAdd(team, buffer, into);
    } else if (!inPlace) {
      incoming.decode(team, buffer, into);
    }
    tally.coded(System.nanoTime() - awaited);
  }

  /** The later of a {@link System#nanoTime} and when the last message was here, if any came. */
  long latest(long time) {
    return count() > 0 && in.arrived() - time > 0 ? in.arrived() : time;
  }

  /** Waits until what was sent last has left. */
  void awaitSent() {
    out.await();
    tell.await();
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
      awaitSent();
      require(0);
      MemorySegment.copy(bits, 0, buffer, JAVA_BYTE, 0, bits.length);
      tell.start(tag, buffer, 0, bits.length);
    }
  }

  /** Is told the widths of the rows that will come in, behind those that go out. */
  void hearWidths(long tag) {
    if (count() > 0) {
      hear.start(tag, buffer, count(), count());
      hear.await();
      rows(incoming).widths(buffer.asSlice(count(), count()).toArray(JAVA_BYTE));
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
