package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads a wire: small things through a buffer, so that a frame costs one system call; large ones
 * straight into place, with the beginning of what follows them caught in the same call.
 */
final class Inflow {
  private static final int BYTES = 64 << 10;

  private final Wire wire;
  private final ByteBuffer buffer;
  private final ByteBuffer[] scattered;
  private long count;
  private volatile long received;

  Inflow(Wire wire, Memory memory) {
    this.wire = wire;
    buffer = memory.allocate(BYTES).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN).limit(0);
    scattered = new ByteBuffer[] {buffer, buffer};
  }

  /** Bytes so far. */
  long received() {
    return received;
  }

  /** Waits until so many bytes (at most some thousands) are there; they begin at the position. */
  ByteBuffer require(int bytes) throws IOException {
    while (buffer.remaining() < bytes) {
      buffer.compact();
      int read = wire.read(buffer);
      buffer.flip();
      heard(read);
    }
    return buffer;
  }

  /** Fills the target. */
  void read(ByteBuffer target) throws IOException {
    int ready = Math.min(target.remaining(), buffer.remaining());
    int end = buffer.limit();
    target.put(buffer.limit(buffer.position() + ready));
    buffer.limit(end);
    while (target.remaining() > BYTES) {
      heard(wire.read(target));
    }
    while (target.hasRemaining()) {
      buffer.clear();
      scattered[0] = target;
      long read = wire.read(scattered, 0, 2);
      buffer.flip();
      heard(read);
    }
  }

  private void heard(long read) throws IOException {
    if (read < 0) {
      throw new EOFException("closed the connection without a word: killed or crashed?");
    }
    count += read;
    received = count;
  }
}
