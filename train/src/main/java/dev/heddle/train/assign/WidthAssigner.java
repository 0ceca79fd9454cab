package dev.heddle.train.assign;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Weighs variance against time: {@code λ · (V − V₈) / (V₂ − V₈) + (1 − λ) · (T − T₂) / (T₈ − T₂)},
 * where V is the variance of all rounded rows and T the sum over rounds of their slowest lane. V₂
 * and V₈ are the variance of everything at 2 or at 8 bits, T₈ the time of everything at 8 bits, and
 * T₂ the sum over rounds of the fastest lane at 2 bits: what no choice falls short of.
 *
 * <p>Every lane is in one round, so that each round is a problem of its own: how long may it take?
 * All times at which some lane has a better choice are tried, in order. Each lane is then as wide
 * as that leaves it time for: those that wait for a slower one of their round are widened for free.
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

  /** Where the best choices of lanes meet: each is as good as it can be when the slowest ends. */
  private List<byte[]> round(List<Lane> lanes) {
    if (timeless || perVariance == 0) {
      return lanes.stream().map(lane -> Frontier.widths(lane.groups(), timeless ? 8 : 2)).toList();
    }
    List<Frontier> frontiers = lanes.stream().map(Frontier::of).toList();
    List<Frontier.Choice> inTime = new ArrayList<>();
    frontiers.forEach(frontier -> inTime.addAll(frontier.choices()));
    inTime.sort(Comparator.comparingDouble(Frontier.Choice::seconds));
    double least = slowest(lanes, 2);
    double limit = least;
    double lowest = Double.POSITIVE_INFINITY;
    double variance = 0;
    for (Frontier.Choice choice : inTime) {
      // The first of a lane is its variance at 2 bits, all others are less than the one before.
      variance -= choice.gain();
      double cost = perVariance * variance + perSecond * choice.seconds();
      // Of equal ones that with less variance.
      if (choice.seconds() >= least && cost <= lowest) {
        lowest = cost;
        limit = choice.seconds();
      }
    }
    double end = limit;
    return frontiers.stream().map(frontier -> frontier.within(end)).toList();
  }
}
