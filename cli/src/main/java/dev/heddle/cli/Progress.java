package dev.heddle.cli;

import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How training goes: one line that is written over and over on a terminal, as long as fits beside
 * the cursor, because a line that wraps cannot be written over; a line every tenth of the way
 * elsewhere, so that a log stays readable.
 */
final class Progress implements AutoCloseable {
  private static final String CLEAR_LINE = "\r\u001b[K";
  private static final int USUAL_COLUMNS = 80;

  private final PrintWriter err;
  private final String metric;
  private final int epochs;
  private final boolean live;
  private final int columns;
  private final long start = System.nanoTime();
  private int done;
  private @Nullable Scores last;

  Progress(PrintWriter err, String metric, int epochs) {
    // The script knows whether standard error is a terminal, and how wide; Java knows neither.
    this(err, metric, epochs, Boolean.getBoolean("heddle.terminal") ? width() : 0);
  }

  /**
   * Progress to some writer.
   *
   * @param columns of the terminal that it is; 0 for a file
   */
  Progress(PrintWriter err, String metric, int epochs, int columns) {
    this.err = err;
    this.metric = metric;
    this.epochs = epochs;
    live = columns > 0;
    this.columns = live ? columns : Integer.MAX_VALUE;
  }

  private static int width() {
    int said = Integer.getInteger("heddle.columns", 0);
    return said > 0 ? said : USUAL_COLUMNS;
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
    String epoch = "epoch " + report.epoch() + "/" + epochs;
    String loss = "  loss " + fixed(4, report.loss());
    String valid = last == null ? "" : "valid " + fixed(4, last.valid());
    String both = last == null ? "" : "train " + fixed(4, last.train()) + " " + valid;
    String scores = last == null ? "" : "  " + metric + " " + both;
    String speed = "  " + fixed(1, rate) + " epochs/s";
    String rest = "  " + left((epochs - report.epoch()) / rate) + " left";
    // From all there is to say to what matters most.
    return Stream.of(
            epoch + loss + scores + speed + rest,
            epoch + loss + gap(both) + speed + rest,
            epoch + loss + gap(both) + rest,
            epoch + loss + gap(valid) + rest,
            epoch + loss + gap(valid),
            epoch + loss,
            epoch)
        .filter(line -> line.length() < columns)
        .findFirst()
        .orElse("");
  }

  private static String fixed(int digits, double value) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  private static String gap(String text) {
    return text.isEmpty() ? "" : "  " + text;
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
