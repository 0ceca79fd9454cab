package dev.heddle.train.halo;

import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import java.util.Arrays;

/**
 * What every epoch so far spent on others, at one worker: kept to find out what is typical. Rows
 * are timed where messages are, sums of gradients by the timeline.
 */
public final class EpochExchanges {
  private static final int FIGURES = 5;

  /** Where the figures of {@link ExchangeTimes} stand among those of an epoch. */
  private static final int[] FIGURE_OF = {0, 1, 2, 4};

  private static final int SHARED = 3;

  private final Exchanges exchanges;
  private final Lane lane;
  private final long[] all = new long[ExchangeTimes.FIGURES];
  private final long[] atBegin = new long[ExchangeTimes.FIGURES];
  private final long[] atEnd = new long[ExchangeTimes.FIGURES];
  private long sharedAtBegin;

  private long[] figures = new long[FIGURES * 256];
  private int epochs;

  /** All exchanges of a worker. */
  public interface Exchanges {
    /** Adds what all rounds so far took to figures in the order of {@link ExchangeTimes}. */
    void addTimesTo(long[] figures);
  }

  /**
   * Of a worker.
   *
   * @param lane of the thread that drives training
   */
  public EpochExchanges(Exchanges exchanges, Lane lane) {
    this.exchanges = exchanges;
    this.lane = lane;
  }

  /** Begins an epoch of training. */
  public void begin() {
    Arrays.fill(atBegin, 0);
    exchanges.addTimesTo(atBegin);
    sharedAtBegin = lane.nanos(Stage.SHARE);
  }

  /** Ends it; what happens until the next begins is not of an epoch. */
  public void end() {
    Arrays.fill(atEnd, 0);
    exchanges.addTimesTo(atEnd);
    int at = FIGURES * epochs++;
    if (at == figures.length) {
      figures = Arrays.copyOf(figures, 2 * at);
    }
    for (int i = 0; i < atEnd.length; i++) {
      long took = atEnd[i] - atBegin[i];
      all[i] += took;
      figures[at + FIGURE_OF[i]] = took;
    }
    figures[at + SHARED] = lane.nanos(Stage.SHARE) - sharedAtBegin;
  }

  /** What all epochs so far took, at this worker. */
  public ExchangeTimes all() {
    return ExchangeTimes.of(all);
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
