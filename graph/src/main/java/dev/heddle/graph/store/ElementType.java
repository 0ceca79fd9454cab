package dev.heddle.graph.store;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What an array holds. The codes are those of the files and never change. */
public enum ElementType {
  INT32(1, 4),
  INT64(2, 8),
  FLOAT32(3, 4),
  UINT16(4, 2),
  UINT8(5, 1);

  final int code;
  final int bytes;

  ElementType(int code, int bytes) {
    this.code = code;
    this.bytes = bytes;
  }

  /** The name in the manifest, which is also NumPy's. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static @Nullable ElementType named(String label) {
    return Arrays.stream(values()).filter(t -> t.label().equals(label)).findFirst().orElse(null);
  }
}
