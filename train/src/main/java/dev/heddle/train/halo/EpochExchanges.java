package dev.heddle.train.halo;

import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * What every epoch so far spent on others, at one worker: kept to find out what is typical. Rows
 * are timed where messages are, sums of gradients by the timeline.
 */
public final class EpochExchanges {
  private static final int FIGURES = 5;

  private final Supplier<ExchangeTimes> exchanges;
  private final Lane lane;
  private ExchangeTimes all = ExchangeTimes.NONE;
  private ExchangeTimes atBegin = ExchangeTimes.NONE;
  private long sharedAtBegin;

  private long[] figures = new long[FIGURES * 256];
  private int epochs;

  /**
   * Of a worker.
   *
   * @param exchanges what all of its exchanges took so far
   * @param lane of the thread that drives training
   */
  public EpochExchanges(Supplier<ExchangeTimes> exchanges, Lane lane) {
    this.exchanges = exchanges;
    this.lane = lane;
  }

  /** Begins an epoch of training. */
  public void begin() {
    atBegin = exchanges.get();
    sharedAtBegin = lane.nanos(Stage.SHARE);
  }

  /** Ends it; what happens until the next begins is not of an epoch. */
  public void end() {
    ExchangeTimes times = exchanges.get().minus(atBegin);
    all = all.plus(times);
    add(times, lane.nanos(Stage.SHARE) - sharedAtBegin);
  }

  /** What all epochs so far took, at this worker. */
  public ExchangeTimes all() {
    return all;
  }

  private void add(ExchangeTimes times, long summingNanos) {
    int at = FIGURES * epochs++;
    if (at == figures.length) {
      figures = Arrays.copyOf(figures, 2 * at);
    }
    figures[at] = times.travelNanos();
    figures[at + 1] = times.exposedNanos();
    figures[at + 2] = times.codingNanos();
    figures[at + 3] = summingNanos;
    figures[at + 4] = times.sentBytes();
  }

  /**
   * Medians, over the later half of epochs, of sums over workers, who all call it. In the earlier
   * half code is still compiled, and the first epoch chooses no widths yet.
   */
  public HaloReport.Typical typical(Group group) {
    long[] sums = Arrays.copyOf(figures, FIGURES * epochs);
    group.sum(sums);
    double seconds = 1e-9 / group.size();
    return new HaloReport.Typical(
        seconds * median(sums, 0),
        seconds * median(sums, 1),
        seconds * median(sums, 2),
        seconds * median(sums, 3),
        median(sums, 4));
  }

  private long median(long[] sums, int figure) {
    int skipped = epochs / 2;
    long[] values = new long[epochs - skipped];
    for (int i = 0; i < values.length; i++) {
      values[i] = sums[FIGURES * (skipped + i) + figure];
    }
    Arrays.sort(values);
    return epochs == 0 ? 0 : values[values.length / 2];
  }
}
