package dev.heddle.graph.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** What the system says when files cannot be read or written, in words for one line. */
final class Failures {
  private Failures() {}

  /** The reason without the file's name, which the line begins with. */
  static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

  /** A file that could not be written: a failure, not the user's fault. */
  static UncheckedIOException unwritable(Path file, IOException e) {
    return new UncheckedIOException(file + ": cannot be written: " + reason(e), e);
  }
}
