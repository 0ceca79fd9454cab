package dev.heddle.comm;

import java.io.IOException;
import java.nio.ByteBuffer;
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
 * can listen to, use {@link Tls}. Proofs are then about the encrypted connection too ({@link
 * Wire#binding}), so that nobody can sit in between and pass them on.
 */
final class Handshake {
  /** Of everything that workers say to each other. */
  static final int VERSION = 1;

  private static final int MAGIC = 0x48444C45; // "HDLE"
  private static final int NONCE = 32;
  private static final int PROOF = 32;
  private static final int HELLO = 4 + 4 + 1 + 4 + 4 + 4 + NONCE + PROOF;
  private static final int MAX_REASON = 1000;
  private static final int TLS_ALERT = 0x15;
  private static final int TLS_HANDSHAKE = 0x16;
  private static final int TLS_MAJOR = 3;
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

  /** All that both ends know of a connection. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Talk(ByteBuffer hello, byte[] challenge, byte[] binding) {
    byte[] proof(JoinSettings me, String role) {
      try {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(me.secret(), "HmacSHA256"));
        mac.update(role.getBytes(StandardCharsets.UTF_8));
        mac.update(hello.duplicate());
        mac.update(challenge);
        mac.update(binding);
        return mac.doFinal();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e); // Every JDK has it.
      }
    }
  }

  /** Decides whether a caller that proved itself is wanted. */
  @FunctionalInterface
  interface Check {
    /** Throws a {@link Refusal} for one that is not. */
    void admit(Caller caller) throws Refusal;
  }

  /** Introduces this worker to a listener, and makes sure of it. */
  static void call(Wire wire, JoinSettings me, Purpose purpose, int listener) throws IOException {
    call(wire, me, purpose, listener, VERSION);
  }

  static void call(Wire wire, JoinSettings me, Purpose purpose, int listener, int version)
      throws IOException {
    ByteBuffer hello = ByteBuffer.allocate(HELLO);
    hello.putInt(MAGIC).putInt(version).put(purpose.number);
    hello.putInt(me.rank()).putInt(me.world()).putInt(listener);
    hello.put(nonce()).put(digest(me.job())).flip();
    wire.write(hello.duplicate());
    Talk talk = new Talk(hello, answer(wire, NONCE), wire.binding());
    wire.write(ByteBuffer.wrap(talk.proof(me, "caller")));
    byte[] theirs = answer(wire, PROOF);
    if (!MessageDigest.isEqual(theirs, talk.proof(me, "listener"))) {
      throw new Refusal("the listener does not know the secret");
    }
  }

  /** Finds out who calls; throws a {@link Refusal} after having told the caller so. */
  static Caller listen(Wire wire, JoinSettings me, Check check) throws IOException {
    ByteBuffer hello = wire.read(HELLO);
    if (hello.getInt(0) != MAGIC && !isTls(hello)) {
      throw new Refusal("it does not speak Heddle's language");
    }
    try {
      if (isTls(hello)) {
        throw new Refusal("it speaks TLS, and this worker was given no certificate");
      }
      int version = hello.getInt(4);
      if (version != VERSION) {
        throw new Refusal("it speaks version " + version + ", not " + VERSION);
      }
      byte[] challenge = nonce();
      wire.write(ByteBuffer.allocate(1 + NONCE).put((byte) 1).put(challenge).flip());
      Talk talk = new Talk(hello, challenge, wire.binding());
      if (!MessageDigest.isEqual(bytes(wire, PROOF), talk.proof(me, "caller"))) {
        throw new Refusal("it does not know the secret");
      }
      Caller caller = caller(hello, me);
      check.admit(caller);
      byte[] own = talk.proof(me, "listener");
      wire.write(ByteBuffer.allocate(1 + PROOF).put((byte) 1).put(own).flip());
      return caller;
    } catch (Refusal refusal) {
      byte[] why = String.valueOf(refusal.getMessage()).getBytes(StandardCharsets.UTF_8);
      ByteBuffer no = ByteBuffer.allocate(3 + why.length);
      wire.write(no.put((byte) 0).putShort((short) why.length).put(why).flip());
      throw refusal;
    }
  }

  /** Whether these are the first bytes of a TLS client (RFC 8446, 5.1). */
  private static boolean isTls(ByteBuffer hello) {
    return hello.get(0) == TLS_HANDSHAKE && hello.get(1) == TLS_MAJOR;
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

  /** What the listener says: so many bytes, or why not. */
  private static byte[] answer(Wire wire, int bytes) throws IOException {
    int first = wire.read(1).get(0);
    if (first == 1) {
      return bytes(wire, bytes);
    }
    if (first == TLS_ALERT) {
      throw new Refusal("it speaks TLS, and this worker was given no certificate");
    }
    int length = Math.clamp(wire.read(2).getShort(0), 0, MAX_REASON);
    String why = new String(bytes(wire, length), StandardCharsets.UTF_8);
    throw new Refusal("it refused this worker: " + why);
  }

  private static byte[] bytes(Wire wire, int count) throws IOException {
    byte[] bytes = new byte[count];
    wire.read(count).get(bytes);
    return bytes;
  }
}
