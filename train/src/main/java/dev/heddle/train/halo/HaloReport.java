package dev.heddle.train.halo;

import dev.heddle.comm.ExchangeTimes;
import java.util.List;

/**
 * How rows travelled between workers while they trained, evaluations aside.
 *
 * @param times of all workers together
 * @param assignSeconds that choosing widths took, of all workers together
 * @param widths at how many bits rows travelled, from the first epoch on
 * @param typical what an epoch was like
 * @param rows how many travel at a time
 * @param roundedBytes of memory for rounded rows of all workers together: messages, and with delta
 *     coding what is remembered of rows
 */
public record HaloReport(
    ExchangeTimes times,
    double assignSeconds,
    List<WidthReport> widths,
    Typical typical,
    Rows rows,
    long roundedBytes) {
  /** Of one worker, who has nobody to send to. */
  public static final HaloReport NOTHING =
      new HaloReport(
          ExchangeTimes.NONE, 0, List.of(), new Typical(0, 0, 0, 0, 0), new Rows(0, 0), 0);

  /**
   * One epoch: the median of each figure over the later half of epochs, in seconds of a worker in
   * the mean.
   *
   * @param travelSeconds from the start of rounds to the arrival of their last rows
   * @param exposedSeconds of these, how long a worker waited
   * @param codingSeconds packing and unpacking
   * @param sumSeconds summing the parameters' gradients
   * @param bytes of rows that all workers sent
   */
  public record Typical(
      double travelSeconds,
      double exposedSeconds,
      double codingSeconds,
      double sumSeconds,
      double bytes) {}

  /**
   * Rows that all workers together send before an aggregation, and after it back.
   *
   * @param oneByOne where every row that is needed travels
   * @param sent what does travel: fewer where owners sum beforehand
   */
  public record Rows(long oneByOne, long sent) {}
}
