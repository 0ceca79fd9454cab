package dev.heddle.comm;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The bytes between two workers: a socket's as they are, or with TLS over it. One thread reads and
 * one writes at a time.
 */
sealed interface Wire extends Closeable permits PlainWire, TlsWire {
  /** Over a socket that this worker has opened. */
  static Wire calling(SocketChannel socket, JoinSettings me) throws IOException {
    Tls tls = me.tls();
    return tls == null ? new PlainWire(socket) : TlsWire.over(socket, tls.caller());
  }

  /** Over a socket that another has opened. */
  static Wire answering(SocketChannel socket, JoinSettings me) throws IOException {
    Tls tls = me.tls();
    return tls == null ? new PlainWire(socket) : TlsWire.over(socket, tls.listener());
  }

  SocketChannel socket();

  /** Waits for bytes and fills buffers in order; negative at the end. */
  long read(ByteBuffer[] targets, int from, int count) throws IOException;

  int read(ByteBuffer target) throws IOException;

  /** Writes some of what is there, in order. */
  void write(ByteBuffer[] sources, int from, int count) throws IOException;

  /** Tells the other end that nothing more will come. */
  void shutdownOutput() throws IOException;

  /** What the two ends of this very connection have in common and nobody in between could have. */
  byte[] binding();

  /** Writes everything. */
  default void write(ByteBuffer bytes) throws IOException {
    ByteBuffer[] one = {bytes};
    while (bytes.hasRemaining()) {
      write(one, 0, 1);
    }
  }

  /** Waits for so many bytes. */
  default ByteBuffer read(int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (read(buffer) < 0) {
        throw new EOFException("it hung up");
      }
    }
    return buffer.flip();
  }

  /**
   * Whether the other end has hung up, of a wire that nobody reads now and that nothing should come
   * through: what comes is the end, or a word of it.
   */
  default boolean isGone() {
    try {
      socket().configureBlocking(false);
      try {
        return socket().read(ByteBuffer.allocate(1)) != 0;
      } finally {
        socket().configureBlocking(true);
      }
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  default void close() throws IOException {
    socket().close();
  }
}
