package dev.heddle.train.assign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Weighs variance against time: {@code λ · (V − V₈) / (V₂ − V₈) + (1 − λ) · (T − T₂) / (T₈ − T₂)},
 * where V is the variance of all rounded rows and T the sum over rounds of their slowest lane. V₂
 * and V₈ are the variance of everything at 2 or at 8 bits, T₈ the time of everything at 8 bits, and
 * T₂ the sum over rounds of the fastest lane at 2 bits: what no choice falls short of.
 *
 * <p>Every lane is in one round, so that each round is a problem of its own: how long may it take?
 * The variance of a row falls with its bits on a convex curve, so that within a lane widening
 * groups in the order of gain per second traces the best there is for any time, but for what is
 * left over when the next group does not fit, which later ones get if they do. All times at which
 * some lane can widen its next group are tried, in order: {@code O(n log n)}. Lanes that wait for a
 * slower one of their round are widened for free.
 */
public final class WidthAssigner {
  private final double perVariance;
  private final double perSecond;

  /** Whether time does not matter at all, so that all get as many bits as there are. */
  private final boolean timeless;

  private WidthAssigner(double perVariance, double perSecond, boolean timeless) {
    this.perVariance = perVariance;
    this.perSecond = perSecond;
    this.timeless = timeless;
  }

  /**
   * The widths of all groups of all lanes.
   *
   * @param rounds lanes that are used at the same time
   * @param lambda what variance counts, from 0 (only time) to 1 (only variance)
   * @return per round and lane, a width for every group
   */
  public static List<List<byte[]>> assign(List<List<Lane>> rounds, double lambda) {
    WidthAssigner assigner = of(rounds, lambda);
    return rounds.stream().map(assigner::round).toList();
  }

  /** What an assignment comes to, from 0 (best in both) up: what {@link #assign} makes small. */
  static double objective(List<List<Lane>> rounds, List<List<byte[]>> widths, double lambda) {
    WidthAssigner assigner = of(rounds, lambda);
    double value = 0;
    for (int r = 0; r < rounds.size(); r++) {
      double slowest = 0;
      for (int l = 0; l < rounds.get(r).size(); l++) {
        Lane lane = rounds.get(r).get(l);
        byte[] bits = widths.get(r).get(l);
        double bytes = 0;
        for (int g = 0; g < lane.groups(); g++) {
          value += assigner.perVariance * (lane.variance(g, bits[g]) - lane.variance(g, 8));
          bytes += lane.bytes(g, bits[g]);
        }
        slowest = Math.max(slowest, lane.groups() == 0 ? 0 : lane.link().seconds(bytes));
      }
      value += assigner.perSecond * (slowest - fastest(rounds.get(r)));
    }
    return value;
  }

  private static WidthAssigner of(List<List<Lane>> rounds, double lambda) {
    if (!(lambda >= 0 && lambda <= 1)) {
      throw new IllegalArgumentException("lambda must be from 0 to 1, not " + lambda);
    }
    double variance = 0;
    double seconds = 0;
    for (List<Lane> round : rounds) {
      for (Lane lane : round) {
        variance += lane.variance(2) - lane.variance(8);
      }
      seconds += slowest(round, 8) - fastest(round);
    }
    double perSecond = seconds > 0 ? (1 - lambda) / seconds : 0;
    return new WidthAssigner(
        variance > 0 ? lambda / variance : 0, perSecond, lambda > 0 && perSecond == 0);
  }

  /** The time of a round's fastest lane at 2 bits, of those that have anything to send. */
  private static double fastest(List<Lane> round) {
    return round.stream()
        .filter(lane -> lane.groups() > 0)
        .mapToDouble(lane -> lane.seconds(2))
        .min()
        .orElse(0);
  }

  private static double slowest(List<Lane> round, int bits) {
    return round.stream().mapToDouble(lane -> lane.seconds(bits)).max().orElse(0);
  }

  /**
   * A group that may be widened by one step.
   *
   * @param gain of variance
   * @param seconds more that its lane takes
   */
  private record Step(int lane, int group, int bits, double gain, double seconds) {
    double rate() {
      return seconds > 0 ? gain / seconds : gain > 0 ? Double.POSITIVE_INFINITY : 0;
    }
  }

  /** A step and when its lane is done, if all better ones of the lane are taken too. */
  private record Timed(Step step, double seconds) {}

  private List<byte[]> round(List<Lane> lanes) {
    List<byte[]> widths = new ArrayList<>();
    List<Timed> steps = new ArrayList<>();
    for (int l = 0; l < lanes.size(); l++) {
      byte[] uniform = new byte[lanes.get(l).groups()];
      Arrays.fill(uniform, (byte) (timeless ? 8 : 2));
      widths.add(uniform);
      steps.addAll(inTime(lanes.get(l), l));
    }
    if (timeless) {
      return widths;
    }
    steps.sort(Comparator.comparingDouble(Timed::seconds));
    double least = slowest(lanes, 2);
    int taken = 0;
    double best = 0;
    double value = 0;
    for (int i = 0; i < steps.size(); i++) {
      value -= perVariance * steps.get(i).step.gain;
      double cost = value + perSecond * Math.max(0, steps.get(i).seconds - least);
      // Of equal ones that with less variance; what gains nothing is not worth a bit.
      if (cost <= best && perVariance * steps.get(i).step.gain > 0) {
        best = cost;
        taken = i + 1;
      }
    }
    for (Timed timed : steps.subList(0, taken)) {
      if (timed.step.gain > 0) {
        widths.get(timed.step.lane)[timed.step.group] = (byte) timed.step.bits;
      }
    }
    if (perVariance > 0) {
      double limit = taken == 0 ? least : Math.max(least, steps.get(taken - 1).seconds);
      fill(lanes, widths, steps.subList(taken, steps.size()), limit);
    }
    return widths;
  }

  /** Takes later steps too where they fit what is left; costlier groups never get fewer bits. */
  private static void fill(List<Lane> lanes, List<byte[]> widths, List<Timed> later, double limit) {
    double[] used = new double[lanes.size()];
    for (int l = 0; l < used.length; l++) {
      used[l] = lanes.get(l).seconds(widths.get(l));
    }
    for (Timed timed : later) {
      Step step = timed.step;
      byte[] bits = widths.get(step.lane);
      boolean next = bits[step.group] == (step.bits == 8 ? 4 : 2);
      boolean ordered = step.group == 0 || bits[step.group - 1] >= step.bits;
      if (next && ordered && step.gain > 0 && used[step.lane] + step.seconds <= limit) {
        bits[step.group] = (byte) step.bits;
        used[step.lane] += step.seconds;
      }
    }
  }

  /** The steps of a lane in the order of gain per second. */
  private static List<Timed> inTime(Lane lane, int index) {
    List<Step> steps = new ArrayList<>();
    for (int g = 0; g < lane.groups(); g++) {
      for (int w = 1; w < Lane.WIDTHS.length; w++) {
        int bits = Lane.WIDTHS[w];
        int before = Lane.WIDTHS[w - 1];
        double seconds =
            lane.link().secondsPerByte() * (lane.bytes(g, bits) - lane.bytes(g, before));
        double gain = lane.variance(g, before) - lane.variance(g, bits);
        steps.add(new Step(index, g, bits, gain, seconds));
      }
    }
    // Stable: of equal ones, groups in their order and narrow before wide.
    steps.sort(Comparator.comparingDouble(Step::rate).reversed());
    List<Timed> timed = new ArrayList<>();
    double now = lane.seconds(2);
    for (Step step : steps) {
      now += step.seconds;
      timed.add(new Timed(step, now));
    }
    return timed;
  }
}
