package dev.heddle.cli;

import java.util.stream.Stream;

/** Words of a command line. */
final class Words {
  private Words() {}

  /** Some words, and more of them. */
  static String[] with(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }
}
