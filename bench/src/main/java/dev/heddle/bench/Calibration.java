package dev.heddle.bench;

import java.io.IOException;
import java.util.Locale;

/**
 * Finds the rate of links at which a run communicates for a share of its epoch. What it computes
 * stays the same and what it waits goes with the rate, so that two or three steps are enough.
 *
 * @param what is run, in messages
 * @param workers between all of whom there are links
 * @param period epochs among which one choice of widths is shared out
 */
record Calibration(String what, int workers, int period) {
  /** How far from the wished share of communication a calibrated run may be. */
  private static final double TOLERANCE = 0.02;

  /** Where it begins: as fast as rows are packed, and alike in both directions. */
  static final String FAST = "10Gbit";

  /** A run over links of a rate. */
  interface Linked {
    HeddleRun over(String link) throws IOException;
  }

  String rate(double share, Linked runs) throws IOException {
    HeddleRun run = runs.over(FAST);
    double computing = run.epochSeconds(period) - run.exposedSeconds();
    double links = (double) workers * (workers - 1);
    double rate = 8 * run.bytes() / links / (computing * share / (1 - share));
    for (int step = 0; step < 4; step++) {
      String link = words(rate);
      run = runs.over(link);
      double seconds = run.epochSeconds(period);
      double found = run.exposedSeconds() / seconds;
      System.err.printf(
          Locale.ROOT,
          "%s at %s: %.4f s, %.0f %% of it communicating%n",
          what,
          link,
          seconds,
          100 * found);
      if (Math.abs(found - share) < TOLERANCE) {
        return link;
      }
      rate *= found / (1 - found) * (1 - share) / share;
    }
    return words(rate);
  }

  private static String words(double bitsPerSecond) {
    return String.format(Locale.ROOT, "%.4gMbit", bitsPerSecond / 1e6);
  }
}
