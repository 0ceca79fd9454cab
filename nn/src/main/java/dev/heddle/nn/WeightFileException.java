package dev.heddle.nn;

import java.nio.file.Path;

/** A weight file cannot be read or written; the message is one line that begins with its path. */
public final class WeightFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public WeightFileException(Path file, String reason) {
    super(file + ": " + reason);
  }

  public WeightFileException(Path file, String reason, Throwable cause) {
    super(file + ": " + reason, cause);
  }
}
