package dev.heddle.train;

import dev.heddle.comm.ExchangeTimes;
import java.util.List;

/**
 * How rows travelled between workers while they trained, evaluations aside.
 *
 * @param times of all workers together
 * @param assignSeconds that choosing widths took, of all workers together
 * @param widths every choice of widths
 * @param rows how many travel at a time
 * @param roundedBytes of memory for rounded rows of all workers together: messages, and with delta
 *     coding what is remembered of rows
 */
public record HaloReport(
    ExchangeTimes times,
    double assignSeconds,
    List<WidthReport> widths,
    Rows rows,
    long roundedBytes) {
  /** Of one worker, who has nobody to send to. */
  static final HaloReport NOTHING =
      new HaloReport(ExchangeTimes.NONE, 0, List.of(), new Rows(0, 0), 0);

  /**
   * Rows that all workers together send before an aggregation, and after it back.
   *
   * @param oneByOne where every row that is needed travels
   * @param sent what does travel: fewer where owners sum beforehand
   */
  public record Rows(long oneByOne, long sent) {}
}
