package dev.heddle.train.assign;

import dev.heddle.comm.Group;
import dev.heddle.comm.LinkProbe;

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

  /** The links from each worker to each, as those who send measure them; all workers call it. */
  public static LinkModel[][] measured(Group group) {
    int k = group.size();
    double[] models = new double[2 * k * k];
    LinkProbe.Samples[] samples = LinkProbe.measure(group);
    for (int peer = 0; peer < k; peer++) {
      if (peer != group.rank()) {
        LinkModel fitted = fit(samples[peer].bytes(), samples[peer].seconds());
        models[2 * (group.rank() * k + peer)] = fitted.secondsPerByte();
        models[2 * (group.rank() * k + peer) + 1] = fitted.latency();
      }
    }
    group.sum(models);
    LinkModel[][] links = new LinkModel[k][k];
    for (int i = 0; i < k * k; i++) {
      links[i / k][i % k] = new LinkModel(models[2 * i], models[2 * i + 1]);
    }
    return links;
  }

  public double seconds(double bytes) {
    return latency + secondsPerByte * bytes;
  }
}
