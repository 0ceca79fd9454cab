package dev.heddle.comm;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network to imitate: every pair of workers has a link of its own in each direction, which passes
 * so many bits a second and delays each message by a latency.
 *
 * @param bitsPerSecond infinite for as fast as it goes
 */
public record Link(double bitsPerSecond, double latencySeconds) {
  /** No limit. */
  public static final Link UNLIMITED = new Link(Double.POSITIVE_INFINITY, 0);

  private static final Pattern AMOUNT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([a-z]+)");

  public Link {
    if (!(bitsPerSecond > 0) || !(latencySeconds >= 0) || Double.isInfinite(latencySeconds)) {
      throw new IllegalArgumentException("a link needs a positive rate and a latency");
    }
  }

  /** A link by the words of the command line, like {@code 1Gbit} and {@code 0.2ms}. */
  public static Link parse(String rate, String latency) {
    return new Link(
        amount(rate, "a rate like 1Gbit", "bit", "kbit", "mbit", "gbit"),
        amount(latency, "a latency like 0.2ms", "s", "ms", "us", "ns"));
  }

  /** The first unit is the base; each further one is 1000 times more (bits) or less (seconds). */
  private static double amount(String words, String expected, String... units) {
    Matcher m = AMOUNT.matcher(words.strip().toLowerCase(Locale.ROOT));
    double step = units[0].equals("s") ? 1e-3 : 1e3;
    double scale = 1;
    if (m.matches()) {
      for (String unit : units) {
        if (unit.equals(m.group(2))) {
          return Double.parseDouble(m.group(1)) * scale;
        }
        scale *= step;
      }
    }
    throw new IllegalArgumentException("'" + words + "' is not " + expected);
  }

  boolean limited() {
    return bitsPerSecond != Double.POSITIVE_INFINITY || latencySeconds > 0;
  }

  /** When the messages of one direction arrive; for use under the lock of that direction. */
  static final class Clock {
    private final double nanosPerByte;
    private final long latency;
    private final boolean limited;
    private long free;

    Clock(Link link) {
      nanosPerByte = 8e9 / link.bitsPerSecond;
      latency = Math.round(1e9 * link.latencySeconds);
      limited = link.limited();
      free = System.nanoTime();
    }

    /** The {@link System#nanoTime} at which a message that is sent now has arrived. */
    long arrival(long bytes) {
      long now = System.nanoTime();
      if (!limited) {
        return now;
      }
      free = Math.max(now, free) + Math.round(bytes * nanosPerByte);
      return free + latency;
    }
  }
}
