package dev.heddle.comm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** How the first failure of a run travels to the workers that did not see it. */
final class Cause {
  private static final int MAX_CHARS = 8_000;

  private Cause() {}

  static byte[] encode(@Nullable GroupException cause) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (cause != null) {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(cause.rank());
      for (String word : new String[] {cause.host(), cause.where(), cause.what()}) {
        out.writeUTF(word.substring(0, Math.min(word.length(), MAX_CHARS)));
      }
    }
    return bytes.toByteArray();
  }

  static GroupException decode(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    return new GroupException(in.readInt(), in.readUTF(), in.readUTF(), in.readUTF(), null);
  }
}
