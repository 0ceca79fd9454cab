package dev.heddle.comm;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One direction between two workers of a network to imitate: it passes so many bits a second and
 * delays each message by a latency.
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

  /** A link of any rate that delays messages. */
  public static Link delay(String latency) {
    return new Link(Double.POSITIVE_INFINITY, parse("1bit", latency).latencySeconds);
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
    private double nanosPerByte;
    private long latency;
    private boolean limited;
    private long free;

    Clock(Link link) {
      free = System.nanoTime();
      become(link);
    }

    /** Imitates another link for what is sent from now on. */
    void become(Link link) {
      nanosPerByte = 8e9 / link.bitsPerSecond;
      latency = Math.round(1e9 * link.latencySeconds);
      limited = link.limited();
    }

    /** The {@link System#nanoTime} at which a message that is sent now has arrived. */
    long arrival(long bytes) {
      return arrival(bytes, System.nanoTime());
    }

    /** When a message that was sent at some time has arrived, if nothing else was under way. */
    long arrival(long bytes, long sent) {
      if (!limited) {
        return sent;
      }
      free = Math.max(sent, free) + Math.round(bytes * nanosPerByte);
      return free + latency;
    }

    boolean limited() {
      return limited;
    }

    /** Whether messages that were sent still fill the link at some time. */
    boolean busy(long at) {
      return limited && free - at > 0;
    }

    /** When the last message has left. */
    long free() {
      return free;
    }
  }
}
