package dev.heddle.tables.imports;

import java.io.PrintWriter;
import java.util.Locale;

/** How far an import is: a line every few seconds, with rows a second and the time left. */
final class ImportProgress {
  private static final long EVERY = 5_000_000_000L;
  private static final int LOOK = 1 << 12;

  private final PrintWriter out;
  private String what = "";
  private long expected;
  private long begin;
  private long last;

  ImportProgress(PrintWriter out) {
    this.out = out;
  }

  /**
   * Begins with something.
   *
   * @param rows how many there will be; 0 if nobody knows
   */
  void begin(String name, long rows) {
    what = name;
    expected = rows;
    begin = System.nanoTime();
    last = begin;
  }

  /** So many rows are done. */
  void at(long rows) {
    if (rows % LOOK != 0) {
      return;
    }
    long now = System.nanoTime();
    if (now - last < EVERY) {
      return;
    }
    last = now;
    double rate = rows / ((now - begin) * 1e-9);
    String left =
        expected > rows
            ? String.format(
                Locale.ROOT,
                ", %.0f %%, %.0f s left",
                100.0 * rows / expected,
                (expected - rows) / rate)
            : "";
    out.printf(Locale.ROOT, "%s: %,d rows, %,.0f rows/s%s%n", what, rows, rate, left);
    out.flush();
  }
}
