package dev.heddle.bench;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What is kept of a tensor, or of all metrics of a run: two of them are equal exactly if all bits
 * are. What is kept of a failure is how the command ended and what it said.
 *
 * @param dtype as the file says
 * @param shape sizes with × between
 * @param value SHA-256 of the bytes in hexadecimal digits; the message of a failure
 */
record BitsDigest(String dtype, String shape, String value) {
  /** The name of what stands for a failure, which no tensor has. */
  static final String FAILURE = "failure";

  /** The name of what stands for all epochs' losses and scores. */
  static final String METRICS = "metrics";

  static BitsDigest failure(int exit, String message) {
    return new BitsDigest("", "exit " + exit, message);
  }

  /** A failure in words. */
  String told() {
    return value.isEmpty() ? shape : shape + ", " + value;
  }

  /** A digest that knows SHA-256, as every Java does. */
  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }
}
