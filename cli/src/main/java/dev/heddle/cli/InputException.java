package dev.heddle.cli;

/** Something the user gave cannot be used; the message is one line that says what and why. */
final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InputException(String message) {
    super(message);
  }

  InputException(String message, Throwable cause) {
    super(message, cause);
  }
}
