package dev.heddle.tables;

/** A table cannot be read or written; the message is one line that says what and why. */
public final class TableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public TableException(String message, Throwable cause) {
    super(message, cause);
  }
}
