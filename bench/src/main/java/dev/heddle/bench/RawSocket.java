package dev.heddle.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Two connected blocking channels and nothing else: the most that a transport over them can do. */
final class RawSocket implements AutoCloseable {
  private final SocketChannel near;
  private final SocketChannel far;

  private RawSocket(SocketChannel near, SocketChannel far) {
    this.near = near;
    this.far = far;
  }

  static RawSocket through(ServerSocketChannel listener) throws IOException {
    try (listener) {
      SocketChannel near = SocketChannel.open(listener.getLocalAddress());
      return new RawSocket(near, listener.accept());
    }
  }

  /** Seconds for so many messages one way, from and to a few buffers in turn. */
  double stream(int messages, int bytes, int buffers) throws Exception {
    try (Arena arena = Arena.ofShared()) {
      List<ByteBuffer> out = new ArrayList<>();
      List<ByteBuffer> in = new ArrayList<>();
      for (int i = 0; i < buffers; i++) {
        out.add(arena.allocate(bytes).asByteBuffer());
        in.add(arena.allocate(bytes).asByteBuffer());
      }
      return stream(messages, out, in);
    }
  }

  private double stream(int messages, List<ByteBuffer> out, List<ByteBuffer> in) throws Exception {
    Thread sender =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < messages; i++) {
                write(near, out.get(i % out.size()));
              }
            });
    long began = System.nanoTime();
    for (int i = 0; i < messages; i++) {
      read(far, in.get(i % in.size()));
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    sender.join();
    return seconds;
  }

  /** Seconds for so many round trips. */
  double pingPong(int trips, int bytes) throws Exception {
    ByteBuffer there = ByteBuffer.allocateDirect(bytes);
    ByteBuffer back = ByteBuffer.allocateDirect(bytes);
    Thread echo =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < trips; i++) {
                read(far, back);
                write(far, back);
              }
            });
    long began = System.nanoTime();
    for (int i = 0; i < trips; i++) {
      write(near, there);
      read(near, there);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    echo.join();
    return seconds;
  }

  private static void write(SocketChannel channel, ByteBuffer bytes) {
    bytes.clear();
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void read(SocketChannel channel, ByteBuffer bytes) {
    bytes.clear();
    try {
      while (bytes.hasRemaining()) {
        if (channel.read(bytes) < 0) {
          throw new IllegalStateException("the other end is gone");
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    near.close();
    far.close();
  }
}
