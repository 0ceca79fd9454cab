package dev.heddle.comm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Sits between a caller and a listener, passes everything on and keeps a copy. */
final class Eavesdropper implements AutoCloseable {
  private final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private final Thread caller;

  Eavesdropper(int port) throws IOException {
    caller = Thread.ofPlatform().daemon().start(() -> pass(port));
  }

  /** Where the caller is to call. */
  String place() {
    return "127.0.0.1:" + door.getLocalPort();
  }

  private void pass(int port) {
    try (Socket in = door.accept();
        Socket out = new Socket(InetAddress.getLoopbackAddress(), port)) {
      Thread back = Thread.ofPlatform().daemon().start(() -> copy(out, in));
      copy(in, out);
      back.join();
    } catch (IOException | InterruptedException e) {
      // Nobody called.
    }
  }

  private void copy(Socket from, Socket to) {
    byte[] buffer = new byte[64 << 10];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        synchronized (heard) {
          heard.write(buffer, 0, n);
        }
        out.write(buffer, 0, n);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // One of them is gone.
    }
  }

  /** All that was said, once both have hung up. */
  byte[] heard() throws InterruptedException {
    caller.join(10_000);
    synchronized (heard) {
      return heard.toByteArray();
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}
