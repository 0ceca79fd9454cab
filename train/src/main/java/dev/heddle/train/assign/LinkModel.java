package dev.heddle.train.assign;

/**
 * How long a message takes from one worker to another: {@code latency + secondsPerByte · bytes}.
 */
public record LinkModel(double secondsPerByte, double latency) {
  /** A link on which bytes cost nothing. */
  public static final LinkModel FREE = new LinkModel(0, 0);

  /**
   * The model that comes nearest to measurements, by least squares; neither part is negative.
   *
   * @param bytes of each message, not all equal
   * @param seconds that each took
   */
  public static LinkModel fit(double[] bytes, double[] seconds) {
    int n = bytes.length;
    double meanBytes = 0;
    double meanSeconds = 0;
    for (int i = 0; i < n; i++) {
      meanBytes += bytes[i] / n;
      meanSeconds += seconds[i] / n;
    }
    double both = 0;
    double squares = 0;
    for (int i = 0; i < n; i++) {
      both += (bytes[i] - meanBytes) * (seconds[i] - meanSeconds);
      squares += (bytes[i] - meanBytes) * (bytes[i] - meanBytes);
    }
    double slope = squares == 0 ? 0 : Math.max(0, both / squares);
    return new LinkModel(slope, Math.max(0, meanSeconds - slope * meanBytes));
  }

  public double seconds(double bytes) {
    return latency + secondsPerByte * bytes;
  }
}
