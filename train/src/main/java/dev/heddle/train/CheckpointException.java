package dev.heddle.train;

import java.nio.file.Path;

/** A checkpoint or model file does not suit or cannot be used; the message is one line. */
public final class CheckpointException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CheckpointException(Path file, String reason) {
    super(file + ": " + reason);
  }

  CheckpointException(Path file, String reason, Throwable cause) {
    super(file + ": " + reason, cause);
  }
}
