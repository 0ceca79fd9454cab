package dev.heddle.cli;

import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How training goes: one line that is written over and over on a terminal, a line every tenth of
 * the way elsewhere, so that a log stays readable.
 */
final class Progress implements AutoCloseable {
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final PrintWriter err;
  private final String metric;
  private final int epochs;
  private final boolean live;
  private final long start = System.nanoTime();
  private int done;
  private @Nullable Scores last;

  Progress(PrintWriter err, String metric, int epochs) {
    this.err = err;
    this.metric = metric;
    this.epochs = epochs;
    // The script knows whether standard error is a terminal; Java only knows of standard output.
    live = Boolean.getBoolean("heddle.terminal");
  }

  void show(EpochReport report) {
    done++;
    last = report.scores() == null ? last : report.scores();
    boolean tenth = report.epoch() % Math.max(1, epochs / 10) == 0;
    if (live) {
      err.print(CLEAR_LINE + line(report));
      err.flush();
    } else if (tenth || report.epoch() == 1 || report.epoch() == epochs) {
      err.println(line(report));
    }
  }

  private String line(EpochReport report) {
    double seconds = (System.nanoTime() - start) * 1e-9;
    double rate = done / seconds;
    String scores =
        last == null
            ? ""
            : String.format(
                Locale.ROOT, "  %s train %.4f valid %.4f", metric, last.train(), last.valid());
    return String.format(
        Locale.ROOT,
        "epoch %d/%d  loss %.4f%s  %.1f epochs/s  %s left",
        report.epoch(),
        epochs,
        report.loss(),
        scores,
        rate,
        left((epochs - report.epoch()) / rate));
  }

  private static String left(double seconds) {
    if (seconds < 600) {
      return Math.round(seconds) + " s";
    }
    long minutes = Math.round(seconds / 60);
    return minutes < 600 ? minutes + " min" : Math.round(minutes / 60.0) + " h";
  }

  @Override
  public void close() {
    end();
  }

  /** Leaves the line to whatever comes next; once is enough. */
  void end() {
    if (live && done > 0) {
      done = 0;
      err.print(CLEAR_LINE);
      err.flush();
    }
  }
}
