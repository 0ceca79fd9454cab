package dev.heddle.train.halo;

import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import java.util.Arrays;

/**
 * What every epoch so far spent on others, at one worker: kept to find out what is typical. Rows
 * are timed where messages are, sums of gradients by the timeline.
 */
final class EpochExchanges {
  private static final int FIGURES = 5;

  private long[] figures = new long[FIGURES * 256];
  private int epochs;

  void add(ExchangeTimes times, long summingNanos) {
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
  HaloReport.Typical typical(Group group) {
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
