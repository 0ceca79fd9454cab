package dev.heddle.kernel;

import java.util.Locale;

/** More memory was asked for than a {@link Memory} may hand out; nothing was taken. */
public final class MemoryLimitException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MemoryLimitException(long needed, long limit) {
    super("needs " + megabytes(needed) + " of memory or more, but may take " + megabytes(limit));
  }

  private static String megabytes(long bytes) {
    return bytes < 0 ? "2^63 bytes" : String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
  }
}
