package dev.heddle.comm;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How two workers make sure of each other before they talk.
 *
 * <p>The caller says who it is and adds a random number; the listener answers with another. Each
 * then proves that it knows the secret by HMAC-SHA256 over its role, all that was said and both
 * numbers: the caller first, so that a stranger learns nothing. Whom the listener does not want is
 * told why, and the reason is logged.
 *
 * <p>This authenticates a connection when it is made. It does not encrypt: on networks that others
 * can listen to, run inside a private one.
 */
final class Handshake {
  /** Of everything that workers say to each other. */
  static final int VERSION = 1;

  private static final int MAGIC = 0x48444C45; // "HDLE"
  private static final int NONCE = 32;
  private static final int PROOF = 32;
  private static final int HELLO = 4 + 4 + 1 + 4 + 4 + 4 + NONCE + PROOF;
  private static final int MAX_REASON = 1000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Handshake() {}

  /** What a caller wants. */
  enum Purpose {
    /** To be told where the others are. */
    JOIN(1),
    /** To be one end of a pair. */
    PAIR(2);

    private final byte number;

    Purpose(int number) {
      this.number = (byte) number;
    }
  }

  /** Who calls, and what for. */
  record Caller(int rank, Purpose purpose) {}

  /** Decides whether a caller that proved itself is wanted. */
  @FunctionalInterface
  interface Check {
    /** Throws a {@link Refusal} for one that is not. */
    void admit(Caller caller) throws Refusal;
  }

  /** Introduces this worker to a listener, and makes sure of it. */
  static void call(SocketChannel channel, JoinSettings me, Purpose purpose, int listener)
      throws IOException {
    call(channel, me, purpose, listener, VERSION);
  }

  static void call(
      SocketChannel channel, JoinSettings me, Purpose purpose, int listener, int version)
      throws IOException {
    ByteBuffer hello = ByteBuffer.allocate(HELLO);
    hello.putInt(MAGIC).putInt(version).put(purpose.number);
    hello.putInt(me.rank()).putInt(me.world()).putInt(listener);
    hello.put(nonce()).put(digest(me.job())).flip();
    write(channel, hello.duplicate());
    byte[] challenge = answer(channel, NONCE);
    write(channel, ByteBuffer.wrap(proof(me, "caller", hello, challenge)));
    byte[] theirs = answer(channel, PROOF);
    if (!MessageDigest.isEqual(theirs, proof(me, "listener", hello, challenge))) {
      throw new Refusal("the listener does not know the secret");
    }
  }

  /** Finds out who calls; throws a {@link Refusal} after having told the caller so. */
  static Caller listen(SocketChannel channel, JoinSettings me, Check check) throws IOException {
    ByteBuffer hello = read(channel, HELLO);
    if (hello.getInt(0) != MAGIC) {
      throw new Refusal("it does not speak Heddle's language");
    }
    try {
      int version = hello.getInt(4);
      if (version != VERSION) {
        throw new Refusal("it speaks version " + version + ", not " + VERSION);
      }
      byte[] challenge = nonce();
      write(channel, ByteBuffer.allocate(1 + NONCE).put((byte) 1).put(challenge).flip());
      byte[] proof = bytes(channel, PROOF);
      if (!MessageDigest.isEqual(proof, proof(me, "caller", hello, challenge))) {
        throw new Refusal("it does not know the secret");
      }
      Caller caller = caller(hello, me);
      check.admit(caller);
      byte[] own = proof(me, "listener", hello, challenge);
      write(channel, ByteBuffer.allocate(1 + PROOF).put((byte) 1).put(own).flip());
      return caller;
    } catch (Refusal refusal) {
      byte[] why = String.valueOf(refusal.getMessage()).getBytes(StandardCharsets.UTF_8);
      ByteBuffer no = ByteBuffer.allocate(3 + why.length);
      write(channel, no.put((byte) 0).putShort((short) why.length).put(why).flip());
      throw refusal;
    }
  }

  private static Caller caller(ByteBuffer hello, JoinSettings me) throws Refusal {
    int rank = hello.getInt(9);
    int world = hello.getInt(13);
    int wanted = hello.getInt(17);
    byte[] job = new byte[PROOF];
    hello.get(21 + NONCE, job);
    if (!MessageDigest.isEqual(job, digest(me.job()))) {
      throw new Refusal("it belongs to another job than " + me.job());
    }
    if (world != me.world()) {
      throw new Refusal("it is of a run of " + world + " workers, not " + me.world());
    }
    if (wanted != me.rank()) {
      throw new Refusal("it looks for rank " + wanted + ", and this is rank " + me.rank());
    }
    if (rank < 0 || rank >= world) {
      throw new Refusal("there is no rank " + rank + " among " + world);
    }
    for (Purpose purpose : Purpose.values()) {
      if (purpose.number == hello.get(8)) {
        return new Caller(rank, purpose);
      }
    }
    throw new Refusal("it does not say what it wants");
  }

  private static byte[] nonce() {
    byte[] nonce = new byte[NONCE];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  private static byte[] digest(String job) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(job.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // Every JDK has it.
    }
  }

  private static byte[] proof(JoinSettings me, String role, ByteBuffer hello, byte[] challenge) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(me.secret(), "HmacSHA256"));
      mac.update(role.getBytes(StandardCharsets.UTF_8));
      mac.update(hello.duplicate());
      mac.update(challenge);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the listener says: so many bytes, or why not. */
  private static byte[] answer(SocketChannel channel, int bytes) throws IOException {
    if (read(channel, 1).get(0) == 1) {
      return bytes(channel, bytes);
    }
    int length = Math.clamp(read(channel, 2).getShort(0), 0, MAX_REASON);
    throw new Refusal(new String(bytes(channel, length), StandardCharsets.UTF_8));
  }

  private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static byte[] bytes(SocketChannel channel, int count) throws IOException {
    byte[] bytes = new byte[count];
    read(channel, count).get(bytes);
    return bytes;
  }

  private static ByteBuffer read(SocketChannel channel, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException("it hung up");
      }
    }
    return buffer.flip();
  }
}
