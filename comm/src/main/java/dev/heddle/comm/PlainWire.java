package dev.heddle.comm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A socket's bytes as they are. */
record PlainWire(SocketChannel socket) implements Wire {
  @Override
  public long read(ByteBuffer[] targets, int from, int count) throws IOException {
    return socket.read(targets, from, count);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return socket.read(target);
  }

  @Override
  public void write(ByteBuffer[] sources, int from, int count) throws IOException {
    socket.write(sources, from, count);
  }

  @Override
  public void shutdownOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Nothing: whoever sits in between sees everything anyway. */
  @Override
  public byte[] binding() {
    return new byte[0];
  }
}
