package dev.heddle.comm;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateException;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * TLS over a socket. What is sent is encrypted from where it lies into a buffer of a few records;
 * what comes is decrypted from such a buffer to where it shall be. Only what is smaller than a
 * record is kept aside in between.
 */
final class TlsWire implements Wire {
  /** That are encrypted before they are written together. */
  private static final int RECORDS = 8;

  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};
  private static final int BINDING_BYTES = 32;

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final int recordBytes;
  private final ByteBuffer[] single = new ByteBuffer[1];

  // Both hold what is not used yet, from position to limit. Of the thread that reads.
  private final ByteBuffer arrived;
  private final ByteBuffer[] decrypted;

  // Of the thread that writes.
  private final ByteBuffer leaving;

  private TlsWire(SocketChannel socket, SSLEngine engine) {
    this.socket = socket;
    this.engine = engine;
    recordBytes = engine.getSession().getPacketBufferSize();
    arrived = ByteBuffer.allocateDirect(RECORDS * recordBytes).limit(0);
    int plainBytes = engine.getSession().getApplicationBufferSize();
    decrypted = new ByteBuffer[] {ByteBuffer.allocateDirect(plainBytes).limit(0)};
    leaving = ByteBuffer.allocateDirect(RECORDS * recordBytes);
  }

  /** Encrypts a socket, once both ends have shown their certificates. */
  static TlsWire over(SocketChannel socket, SSLEngine engine) throws IOException {
    TlsWire wire = new TlsWire(socket, engine);
    wire.shakeHands();
    return wire;
  }

  private void shakeHands() throws IOException {
    try {
      engine.beginHandshake();
      for (boolean done = false; !done; ) {
        switch (engine.getHandshakeStatus()) {
          case NEED_TASK -> runTasks();
          case NEED_WRAP -> write(NOTHING, 0, 1);
          case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
            decrypted[0].clear();
            boolean ended = decrypt(decrypted, 0, 1) < 0;
            decrypted[0].flip();
            if (ended) {
              throw new EOFException("it hung up");
            }
          }
          case NOT_HANDSHAKING, FINISHED -> done = true;
        }
      }
    } catch (SSLException e) {
      sayWhy();
      throw refusal(e);
    } catch (Refusal e) {
      sayWhy();
      throw e;
    }
  }

  /** Lets the other end know that its certificate, or what it said, is not accepted. */
  private void sayWhy() throws IOException {
    while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      write(NOTHING, 0, 1);
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask(); task != null; ) {
      task.run();
      task = engine.getDelegatedTask();
    }
  }

  @Override
  public SocketChannel socket() {
    return socket;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    single[0] = target;
    return (int) read(single, 0, 1);
  }

  @Override
  public long read(ByteBuffer[] targets, int from, int count) throws IOException {
    ByteBuffer kept = decrypted[0];
    if (!kept.hasRemaining()) {
      if (room(targets, from, count) >= kept.capacity()) {
        return decrypt(targets, from, count);
      }
      kept.clear();
      long came = decrypt(decrypted, 0, 1);
      kept.flip();
      if (came < 0) {
        return came;
      }
    }
    long before = kept.remaining();
    for (int i = from; i < from + count; i++) {
      int end = kept.limit();
      int fits = Math.min(kept.remaining(), targets[i].remaining());
      targets[i].put(kept.limit(kept.position() + fits));
      kept.limit(end);
    }
    return before - kept.remaining();
  }

  private static long room(ByteBuffer[] targets, int from, int count) {
    long room = 0;
    for (int i = from; i < from + count; i++) {
      room += targets[i].remaining();
    }
    return room;
  }

  /** Waits for a record, and decrypts it into buffers that have room for any. */
  private long decrypt(ByteBuffer[] targets, int from, int count) throws IOException {
    while (true) {
      SSLEngineResult result;
      try {
        result = engine.unwrap(arrived, targets, from, count);
      } catch (SSLException e) {
        throw refusal(e);
      }
      switch (result.getStatus()) {
        case OK -> {
          if (result.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
              || result.bytesProduced() > 0) {
            runTasks();
            return result.bytesProduced();
          }
          // A record for TLS itself: tickets, new keys.
        }
        case BUFFER_UNDERFLOW -> {
          arrived.compact();
          int more = socket.read(arrived);
          arrived.flip();
          if (more < 0) {
            return more;
          }
        }
        case BUFFER_OVERFLOW -> throw new IllegalStateException("a record exceeds its buffer");
        case CLOSED -> {
          return -1;
        }
      }
    }
  }

  private static Refusal refusal(SSLException e) {
    String words = String.valueOf(e.getMessage());
    String why = "TLS failed: " + words;
    if (words.contains("Received fatal alert")) {
      why = "it does not accept this worker's certificate (" + words + ")";
    } else if (words.contains("nrecognized SSL message")) {
      why = "it does not speak TLS";
    } else {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof CertificateException) {
          why = "its certificate cannot be trusted (" + cause.getMessage() + ")";
        }
      }
    }
    Refusal refusal = new Refusal(why);
    refusal.initCause(e);
    return refusal;
  }

  @Override
  public void write(ByteBuffer[] sources, int from, int count) throws IOException {
    leaving.clear();
    SSLEngineResult result;
    do {
      result = engine.wrap(sources, from, count, leaving);
      boolean closed = result.getStatus() == Status.CLOSED || !socket.isOpen();
      if (closed && leaving.position() == 0) {
        throw new ClosedChannelException();
      }
      if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
        runTasks();
      }
      // A closed engine has an alert to say perhaps, and takes nothing more.
    } while (result.bytesProduced() > 0
        && room(sources, from, count) > 0
        && leaving.remaining() >= recordBytes);
    leaving.flip();
    while (leaving.hasRemaining()) {
      socket.write(leaving);
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    engine.closeOutbound();
    if (!engine.isOutboundDone()) {
      write(NOTHING, 0, 1);
    }
    socket.shutdownOutput();
  }

  /** Keying material of the session (RFC 8446, 7.5), which no two connections have alike. */
  @Override
  public byte[] binding() {
    try {
      ExtendedSSLSession session = (ExtendedSSLSession) engine.getSession();
      return session.exportKeyingMaterialData("EXPORTER-heddle", null, BINDING_BYTES);
    } catch (SSLException e) {
      throw new IllegalStateException(e); // Every session of TLS 1.3 has it.
    }
  }
}
