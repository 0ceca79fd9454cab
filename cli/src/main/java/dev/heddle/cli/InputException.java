package dev.heddle.cli;

/** Input that cannot be used; the message is the one line the user sees. */
final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InputException(String message) {
    super(message);
  }
}
