package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header before every payload on a socket, little endian: magic (4 bytes), type (1), kind (1),
 * unused (2), tag (8), length of the payload (8), number of the frame on its connection (8).
 */
final class Frame {
  static final int BYTES = 32;

  /** Bytes of small frames that are not messages never exceed this. */
  static final int MAX_CONTROL = 64 << 10;

  private static final int MAGIC = 0x314C4448; // "HDL1"

  /** What a frame is for. */
  enum Type {
    /** Bytes for whoever receives by this tag. */
    MESSAGE(1),
    /** Memory is waiting for the next large message of this tag. */
    READY(2),
    /** Nothing, but in time; the tag is the rank that the sender waits for. */
    ALIVE(3),
    /** The run has failed; the payload says how. */
    FAILED(4),
    /** Nothing more will come. */
    BYE(5);

    private final byte number;

    Type(int number) {
      this.number = (byte) number;
    }
  }

  private static final Type[] TYPES = Type.values();

  private Frame() {}

  static ByteBuffer header(Memory memory) {
    return memory.allocate(BYTES).asByteBuffer().limit(BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Fills a header, ready to be written. */
  static void write(ByteBuffer header, Type type, Kind kind, long tag, long length, long sequence) {
    header.position(0).limit(BYTES);
    header.putInt(MAGIC).put(type.number).put((byte) kind.number()).putShort((short) 0);
    header.putLong(tag).putLong(length).putLong(sequence).flip();
  }

  /** The type of the header at the buffer's position, which stays. */
  static Type type(ByteBuffer in, long sequence) throws IOException {
    int at = in.position();
    if (in.getInt(at) == MAGIC && in.getLong(at + 24) == sequence && length(in) >= 0) {
      for (Type type : TYPES) {
        if (type.number == in.get(at + 4)) {
          return type;
        }
      }
    }
    throw new IOException("sent bytes that are not Heddle's");
  }

  static long tag(ByteBuffer in) {
    return in.getLong(in.position() + 8);
  }

  static long length(ByteBuffer in) {
    return in.getLong(in.position() + 16);
  }
}
