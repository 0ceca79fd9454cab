package dev.heddle.train.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.train.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class WidthAssignerTest {
  private final SplittableRandom random = TestSeed.random(this);

  /** Groups as training has them: costs over some orders of magnitude, the largest first. */
  private Lane lane(LinkModel link, int groups) {
    int all = groups * 60 + random.nextInt(40 * groups + 1);
    int[] rows = new int[groups];
    Arrays.setAll(rows, g -> RowGroups.rowsIn(g, all, 100));
    return lane(link, rows);
  }

  private Lane lane(LinkModel link, int[] rows) {
    double[] perRow = new double[rows.length];
    Arrays.setAll(perRow, g -> -2 * random.nextGaussian());
    Arrays.sort(perRow);
    double[] costs = new double[rows.length];
    Arrays.setAll(costs, g -> rows[g] * Math.exp(-perRow[g]));
    return new Lane(link, 64, rows, costs);
  }

  private LinkModel link() {
    return new LinkModel(1e-8 * (1 + random.nextInt(10)), 1e-4 * random.nextDouble());
  }

  /** One to eight groups, in any number of lanes. */
  private List<Lane> round(IntFunction<Lane> lane) {
    List<Lane> round = new ArrayList<>();
    for (int left = 1 + random.nextInt(8); left > 0; ) {
      int some = 1 + random.nextInt(left);
      round.add(lane.apply(some));
      left -= some;
    }
    return round;
  }

  /** Within 2 % of the best of all assignments to up to 8 groups. */
  @Test
  void comesCloseToTheBest() {
    int exact = 0;
    int cases = 400;
    for (int i = 0; i < cases; i++) {
      double lambda = 0.1 + 0.8 * random.nextDouble();
      List<Lane> round = round(groups -> lane(link(), groups));
      double found = found(round, lambda);
      double best = bruteForce(round, lambda, false);
      assertThat(found).isBetween(best - 1e-9, 1.02 * best + 1e-9);
      exact += found <= best + 1e-9 ? 1 : 0;
    }
    assertThat(exact).isGreaterThan(9 * cases / 10);
  }

  /** Whatever the sizes, the best of all assignments that give costlier groups no fewer bits. */
  @Test
  void isTheBestInOrder() {
    for (int i = 0; i < 200; i++) {
      double lambda = 0.1 + 0.8 * random.nextDouble();
      List<Lane> round = round(groups -> lane(link(), random.ints(groups, 1, 101).toArray()));
      assertThat(found(round, lambda)).isCloseTo(bruteForce(round, lambda, true), within(1e-9));
    }
  }

  private static double found(List<Lane> round, double lambda) {
    List<List<Lane>> rounds = List.of(round);
    return WidthAssigner.objective(rounds, WidthAssigner.assign(rounds, lambda), lambda);
  }

  private static double bruteForce(List<Lane> round, double lambda, boolean inOrder) {
    int groups = round.stream().mapToInt(Lane::groups).sum();
    int all = (int) Math.pow(3, groups);
    double best = Double.POSITIVE_INFINITY;
    for (int code = 0; code < all; code++) {
      int digits = code;
      boolean ordered = true;
      List<byte[]> widths = new ArrayList<>();
      for (Lane lane : round) {
        byte[] bits = new byte[lane.groups()];
        for (int g = 0; g < bits.length; g++, digits /= 3) {
          bits[g] = (byte) Lane.WIDTHS[digits % 3];
          ordered &= g == 0 || bits[g] <= bits[g - 1];
        }
        widths.add(bits);
      }
      if (ordered || !inOrder) {
        best = Math.min(best, WidthAssigner.objective(List.of(round), List.of(widths), lambda));
      }
    }
    return best;
  }

  @Test
  void onlyVarianceOrOnlyTime() {
    List<List<Lane>> rounds = new ArrayList<>();
    for (int r = 0; r < 3; r++) {
      Lane still = new Lane(link(), 64, new int[] {10, 7}, new double[] {3, 0});
      rounds.add(List.of(lane(link(), 5), lane(link(), 2), lane(link(), 0), still));
    }
    for (List<byte[]> round : WidthAssigner.assign(rounds, 1)) {
      round.forEach(bits -> assertAll(bits, 8));
    }
    for (List<byte[]> round : WidthAssigner.assign(rounds, 0)) {
      round.forEach(bits -> assertAll(bits, 2));
    }
    assertThatThrownBy(() -> WidthAssigner.assign(rounds, 1.5)).hasMessageContaining("lambda");
  }

  private static void assertAll(byte[] bits, int expected) {
    for (byte b : bits) {
      assertThat((int) b).isEqualTo(expected);
    }
  }

  /** A slower link takes fewer bits; those who wait for it in its round get no fewer. */
  @Test
  void throttlingOneLinkSparesTheOthers() {
    LinkModel fast = new LinkModel(1e-8, 1e-5);
    Lane first = lane(fast, 60);
    Lane second = lane(fast, 60);
    Lane elsewhere = lane(fast, 12);
    List<List<Lane>> even = List.of(List.of(first, second), List.of(elsewhere));
    Lane slow = new Lane(new LinkModel(1e-7, 1e-5), 64, first.rows(), first.costs());
    List<List<Lane>> uneven = List.of(List.of(slow, second), List.of(elsewhere));
    var before = WidthAssigner.assign(even, 0.5);
    var after = WidthAssigner.assign(uneven, 0.5);
    assertThat(sum(after.get(0).get(0))).isLessThan(sum(before.get(0).get(0)));
    assertThat(sum(after.get(0).get(1))).isGreaterThan(sum(before.get(0).get(1)));
    // The mate of a link ten times slower has all the time it wants.
    assertAll(after.get(0).get(1), 8);
    assertThat(sum(after.get(1).get(0))).isGreaterThanOrEqualTo(sum(before.get(1).get(0)));
  }

  /** λ · (V − V₈) / (V₂ − V₈) + (1 − λ) · (T − T₂) / (T₈ − T₂), T₂ being of the fastest lanes. */
  @Test
  void weighsAsThePaperDoes() {
    Lane fast = new Lane(new LinkModel(1e-6, 1e-3), 64, new int[] {10}, new double[] {50});
    Lane slow = new Lane(new LinkModel(3e-6, 2e-3), 64, new int[] {20}, new double[] {70});
    Lane none = new Lane(new LinkModel(1e-9, 0), 64, new int[0], new double[0]);
    double t2 = 1e-3 + 1e-6 * 10 * (4 + 16);
    double t8 = 2e-3 + 3e-6 * 20 * (4 + 64);
    double t = Math.max(1e-3 + 1e-6 * 10 * (4 + 64), 2e-3 + 3e-6 * 20 * (4 + 32));
    double v8 = 120 / (255.0 * 255);
    double v2 = 120 / 9.0;
    double v = 50 / (255.0 * 255) + 70 / (15.0 * 15);
    double expected = 0.3 * (v - v8) / (v2 - v8) + 0.7 * (t - t2) / (t8 - t2);
    List<List<byte[]>> widths = List.of(List.of(new byte[] {8}, new byte[] {4}, new byte[0]));
    assertThat(WidthAssigner.objective(List.of(List.of(fast, slow, none)), widths, 0.3))
        .isCloseTo(expected, within(1e-9));
  }

  /** As many bytes as a uniform width, or hardly fewer; never more variance. */
  @Test
  void budgetsAreSpentWell() {
    for (int i = 0; i < 50; i++) {
      List<List<Lane>> rounds = List.of(List.of(lane(link(), 9), lane(link(), 4)));
      for (int bits : new int[] {2, 4, 8}) {
        var widths = ByteBudget.assign(rounds, bits).getFirst();
        double bytes = 0;
        double uniform = 0;
        double variance = 0;
        double uniformVariance = 0;
        for (int l = 0; l < 2; l++) {
          Lane lane = rounds.getFirst().get(l);
          for (int g = 0; g < lane.groups(); g++) {
            bytes += lane.bytes(g, widths.get(l)[g]);
            uniform += lane.bytes(g, bits);
            variance += lane.variance(g, widths.get(l)[g]);
            uniformVariance += lane.variance(g, bits);
          }
        }
        // What no group can use any more is less than the widest step of one.
        assertThat(bytes).isBetween(uniform - 100 * 32, uniform);
        assertThat(variance).isLessThanOrEqualTo(1.0001 * uniformVariance);
      }
    }
  }

  private static int sum(byte[] bits) {
    int sum = 0;
    for (byte b : bits) {
      sum += b;
    }
    return sum;
  }

  /** A row with ten times the range has a hundred times the cost, and never fewer bits. */
  @Test
  void costlierRowsGetNoFewerBits() {
    for (int i = 0; i < 50; i++) {
      Lane lane = lane(link(), 1 + random.nextInt(30));
      byte[] bits = WidthAssigner.assign(List.of(List.of(lane)), random.nextDouble()).get(0).get(0);
      for (int g = 1; g < bits.length; g++) {
        assertThat(bits[g]).isLessThanOrEqualTo(bits[g - 1]);
      }
    }
  }

  /** A group's cost is the sum of its own rows', whatever order they came in. */
  @Test
  void groupsSumTheirOwnRows() {
    double[] costs = random.doubles(57).map(x -> x * x * x * x).toArray();
    RowGroups groups = RowGroups.of(costs, 10);
    assertThat(groups.costs()).hasSize(6);
    byte[] numbered = {2, 4, 8, 16, 32, 64};
    byte[] rows = groups.rowWidths(numbered);
    double[] sums = new double[6];
    for (int i = 0; i < costs.length; i++) {
      sums[Arrays.binarySearch(numbered, rows[i])] += costs[i];
      for (int j = 0; j < costs.length; j++) {
        if (rows[i] < rows[j]) {
          assertThat(costs[i]).isGreaterThanOrEqualTo(costs[j]);
        }
      }
    }
    for (int g = 0; g < 6; g++) {
      assertThat(groups.costs()[g]).isCloseTo(sums[g], within(1e-9));
    }
    for (int g = 0; g < 6; g++) {
      assertThat(RowGroups.rowsIn(g, 57, 10)).isBetween(9, 10);
    }
  }

  @Test
  void nothingToSendIsFine() {
    assertThat(WidthAssigner.assign(List.of(), 0.5)).isEmpty();
    Lane still = new Lane(new LinkModel(1e-8, 0), 16, new int[] {10}, new double[] {0});
    assertAll(WidthAssigner.assign(List.of(List.of(still)), 0.5).get(0).get(0), 2);
    Lane free = new Lane(LinkModel.FREE, 16, new int[] {10}, new double[] {3});
    assertAll(WidthAssigner.assign(List.of(List.of(free)), 0.5).get(0).get(0), 8);
  }

  @Test
  void linksAreFitted() {
    double[] bytes = {4096, 4096, 32768, 32768, 131072, 131072};
    double[] seconds = new double[6];
    for (int i = 0; i < 6; i++) {
      seconds[i] = 0.002 + 8e-8 * bytes[i] + 1e-5 * random.nextDouble();
    }
    LinkModel fitted = LinkModel.fit(bytes, seconds);
    assertThat(fitted.secondsPerByte()).isCloseTo(8e-8, within(0.02 * 8e-8));
    assertThat(fitted.latency()).isCloseTo(0.002, within(5e-5));
    assertThat(LinkModel.fit(bytes, new double[6])).isEqualTo(LinkModel.FREE);
  }
}
