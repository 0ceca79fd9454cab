package dev.heddle.comm;

import java.io.IOException;

/** Why a connection was not accepted; unlike other errors of a socket, it will not pass. */
final class Refusal extends IOException {
  private static final long serialVersionUID = 1;

  Refusal(String why) {
    super(why);
  }
}
