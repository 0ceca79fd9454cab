package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Bytes between this worker and each other, whose number only the sender knows: a letter to every
 * worker in a round, and one from each. Its length goes ahead of it in the same message, so that a
 * short letter is one message; a longer one has further ones of bounded size.
 *
 * <p>Letters are written into {@link #paper} and read where they were received. Memory is kept from
 * round to round and grows when it must.
 */
public final class Letters implements AutoCloseable {
  /** Where the text of a letter begins in its memory: before it stands its length. */
  public static final int TEXT = Long.BYTES;

  private final Memory memory;
  private final Parcels rest;
  private final Envelope[] out;
  private final Envelope[] in;
  private final long tag;
  private final long first;

  private Letters(Group group, Memory memory, Kind kind, long most) {
    this.memory = memory;
    tag = group.nextTag();
    rest = Parcels.of(group, kind, most);
    // What comes first must be able to come before it is asked for.
    first = Math.max(TEXT, Math.min(most, Outbox.EAGER_BYTES));
    out = new Envelope[group.size()];
    in = new Envelope[group.size()];
    for (int peer = 0; peer < group.size(); peer++) {
      if (peer != group.rank()) {
        out[peer] = new Envelope(group.to(peer, kind));
        in[peer] = new Envelope(group.from(peer, kind));
      }
    }
  }

  /**
   * Letters of a group; all its workers make theirs in the same order.
   *
   * @param most bytes of a message
   */
  public static Letters of(Group group, Memory memory, Kind kind, long most) {
    return new Letters(group, memory, kind, most);
  }

  /** Memory for a letter of so many bytes, from {@link #TEXT} on. The last one has left it. */
  public MemorySegment paper(int peer, long bytes) {
    out[peer].first.await();
    rest.awaitSent(peer);
    return out[peer].require(TEXT + bytes, 0);
  }

  /** Starts to send what was written on the paper. */
  public void send(int peer, long bytes) {
    Envelope letter = out[peer];
    long all = TEXT + bytes;
    letter.segment.set(JAVA_LONG, 0, bytes);
    letter.first.start(tag, letter.segment, 0, Math.min(first, all));
    if (all > first) {
      rest.send(peer, letter.segment, first, all - first);
    }
  }

  /** Waits for a worker's letter of this round; returns its length. */
  public long receive(int peer) {
    Envelope letter = in[peer];
    letter.first.startUpTo(tag, letter.require(first, 0), 0, first);
    letter.first.await();
    long bytes = letter.segment.get(JAVA_LONG, 0);
    long all = TEXT + bytes;
    if (all > first) {
      rest.receive(peer, letter.require(all, first), first, all - first);
      rest.awaitReceived(peer);
    }
    return bytes;
  }

  /** The letter received last, from {@link #TEXT} on; until the next. */
  public MemorySegment received(int peer) {
    return in[peer].segment;
  }

  /** Bytes of memory that letters take now. */
  public long bytes() {
    long sum = 0;
    for (Envelope[] side : new Envelope[][] {out, in}) {
      for (Envelope letter : side) {
        sum += letter == null ? 0 : letter.own.bytes();
      }
    }
    return sum;
  }

  /** Waits until all that was sent has left. */
  @Override
  public void close() {
    for (int peer = 0; peer < out.length; peer++) {
      if (out[peer] != null) {
        out[peer].first.await();
        rest.awaitSent(peer);
        out[peer].own.close();
        in[peer].own.close();
      }
    }
  }

  /** The memory of letters one way, and the message that each begins with. */
  private final class Envelope {
    private final Transfer first;
    private Memory own = memory.child();
    private MemorySegment segment = own.allocate(0);

    Envelope(Transfer first) {
      this.first = first;
    }

    MemorySegment require(long bytes, long kept) {
      if (bytes > segment.byteSize()) {
        Memory larger = memory.child();
        MemorySegment others = larger.allocate(bytes + bytes / 4);
        MemorySegment.copy(segment, 0, others, 0, kept);
        own.close();
        own = larger;
        segment = others;
      }
      return segment;
    }
  }
}
