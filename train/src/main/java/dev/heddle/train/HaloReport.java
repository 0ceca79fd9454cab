package dev.heddle.train;

import dev.heddle.comm.ExchangeTimes;
import java.util.List;

/**
 * How rows travelled between workers while they trained, evaluations aside.
 *
 * @param times of all workers together
 * @param assignSeconds that choosing widths took, of all workers together
 * @param widths every choice of widths
 */
public record HaloReport(ExchangeTimes times, double assignSeconds, List<WidthReport> widths) {
  /** Of one worker, who has nobody to send to. */
  static final HaloReport NOTHING = new HaloReport(ExchangeTimes.NONE, 0, List.of());
}
