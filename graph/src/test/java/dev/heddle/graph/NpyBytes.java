package dev.heddle.graph;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The bytes of a NumPy file of any header, right or wrong. */
final class NpyBytes {
  private final String type;
  private final String shape;
  private int version = 1;
  private boolean fortran;
  private byte[] data = new byte[0];

  NpyBytes(String type, String shape) {
    this.type = type;
    this.shape = shape;
  }

  NpyBytes version(int value) {
    version = value;
    return this;
  }

  NpyBytes fortran() {
    fortran = true;
    return this;
  }

  NpyBytes floats(float... values) {
    return data(4 * values.length, to -> to.asFloatBuffer().put(values));
  }

  NpyBytes doubles(double... values) {
    return data(8 * values.length, to -> to.asDoubleBuffer().put(values));
  }

  NpyBytes ints(int... values) {
    return data(4 * values.length, to -> to.asIntBuffer().put(values));
  }

  NpyBytes longs(long... values) {
    return data(8 * values.length, to -> to.asLongBuffer().put(values));
  }

  NpyBytes bytes(int... values) {
    data = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      data[i] = (byte) values[i];
    }
    return this;
  }

  private NpyBytes data(int bytes, Consumer<ByteBuffer> values) {
    data = new byte[bytes];
    values.accept(ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN));
    return this;
  }

  byte[] toArray() {
    String order = fortran ? "True" : "False";
    byte[] header =
        ("{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n")
            .getBytes(StandardCharsets.US_ASCII);
    ByteBuffer file =
        ByteBuffer.allocate(12 + header.length + data.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put(Npy.MAGIC).put((byte) version).put((byte) 0);
    if (version == 1) {
      file.putShort((short) header.length);
    } else {
      file.putInt(header.length);
    }
    file.put(header).put(data);
    byte[] bytes = new byte[file.position()];
    file.flip().get(bytes);
    return bytes;
  }
}
