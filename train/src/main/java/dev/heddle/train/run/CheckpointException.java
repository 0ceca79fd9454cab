package dev.heddle.train.run;

import java.nio.file.Path;

/** A checkpoint or model file does not suit or cannot be used; the message is one line. */
public final class CheckpointException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CheckpointException(Path file, String reason) {
    super(file + ": " + reason);
  }

  public CheckpointException(Path file, String reason, Throwable cause) {
    super(file + ": " + reason, cause);
  }
}
