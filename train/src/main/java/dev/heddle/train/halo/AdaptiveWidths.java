package dev.heddle.train.halo;

import dev.heddle.comm.Group;
import dev.heddle.comm.RowExchange;
import dev.heddle.graph.Aggregation;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Memory;
import dev.heddle.train.assign.ByteBudget;
import dev.heddle.train.assign.Lane;
import dev.heddle.train.assign.LinkModel;
import dev.heddle.train.assign.RowGroups;
import dev.heddle.train.assign.WidthAssigner;
import dev.heddle.train.settings.Adaptation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Chooses the widths at which rows travel, for every value and both directions, anew every period
 * (AdaQP, Wan et al., 2023): links are measured, every worker says what rounding its groups of rows
 * costs, and all come to the same choice by themselves.
 *
 * <p>The cost of a row there is {@code β = w · Σ D/6 · (max − min)²} over the rounds since the last
 * choice, with {@code w = Σ α²} over the arcs that read it at the other worker. For a sum made
 * beforehand that is one arc, which is 1 but for what the finished sum is multiplied by. Back, a
 * sum of gradients is added as it is: {@code w = 1}; that of a sum goes to all who are in it.
 */
final class AdaptiveWidths implements RowWidths {
  private final Group group;
  private final RowExchange.Routes routes;
  private final Adaptation settings;
  private final Memory memory;
  private final int[] rows;
  private final IdentityHashMap<HaloPassage, float[][]> weights = new IdentityHashMap<>();
  private final IdentityHashMap<HaloPassage, float[][]> weightsBack = new IdentityHashMap<>();
  private final double[] elements;
  private final double[] elementBits;

  AdaptiveWidths(Group group, RowExchange.Routes routes, Adaptation settings, Memory memory) {
    this.group = group;
    this.routes = routes;
    this.settings = settings;
    this.memory = memory;
    int k = group.size();
    elements = new double[k * k];
    elementBits = new double[k * k];
    long[] counts = new long[k * k];
    for (int peer = 0; peer < k; peer++) {
      counts[group.rank() * k + peer] = routes.sent()[peer].length;
    }
    group.sum(counts);
    rows = new int[k * k];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Math.toIntExact(counts[i]);
    }
  }

  @Override
  public boolean before(int epoch, List<HaloPassage> passages) {
    if (!settings.due(epoch)) {
      return false;
    }
    assign(passages.stream().filter(p -> p.rounded() != null).toList());
    return true;
  }

  /** Bits of an element of what goes from one worker to another, as chosen last; in the mean. */
  double bits(int from, int to) {
    int lane = from * group.size() + to;
    return elements[lane] == 0 ? 0 : elementBits[lane] / elements[lane];
  }

  private void assign(List<HaloPassage> passages) {
    LinkModel[][] links = settings.bits() == 0 ? LinkModel.measured(group) : free();
    // One flow per value and direction; a worker's groups of each, for every peer.
    List<Flow> flows = new ArrayList<>();
    for (HaloPassage passage : passages) {
      flows.add(new Flow(passage, false));
      flows.add(new Flow(passage, true));
    }
    int length = flows.stream().mapToInt(Flow::groups).sum();
    double[] costs = new double[length];
    int at = 0;
    for (Flow flow : flows) {
      flow.tell(costs, at);
      at += flow.groups();
    }
    group.sum(costs);
    at = 0;
    Arrays.fill(elements, 0);
    Arrays.fill(elementBits, 0);
    for (Flow flow : flows) {
      flow.choose(costs, at, links);
      at += flow.groups();
    }
    for (int i = 0; i < flows.size(); i += 2) {
      RowExchange exchange = flows.get(i).exchange();
      exchange.assign(new RowExchange.Widths(flows.get(i).widths, flows.get(i + 1).widths));
      exchange.clearRanges();
    }
  }

  /** Links that nobody asks about. */
  private LinkModel[][] free() {
    LinkModel[][] links = new LinkModel[group.size()][group.size()];
    for (LinkModel[] from : links) {
      Arrays.fill(from, LinkModel.FREE);
    }
    return links;
  }

  /** How many rows go from one worker to another. */
  private int rows(int from, int to, boolean back) {
    return back ? rows[to * group.size() + from] : rows[from * group.size() + to];
  }

  /** Per peer and row sent there or back, what becomes of its variance at those who get it. */
  private float[][] weights(HaloPassage passage, boolean back) {
    return back
        ? weightsBack.computeIfAbsent(
            passage, p -> told(p::weightBack, routes.sent(), routes.received()))
        : weights.computeIfAbsent(
            passage, p -> told(readers(p)::squaredWeight, routes.received(), routes.sent()));
  }

  private static Aggregation readers(HaloPassage passage) {
    Normalisation normalisation = passage.value().normalisation();
    return passage
        .value()
        .block()
        .backward(normalisation == null ? Normalisation.SUM : normalisation);
  }

  /** Tells each peer the weights of the rows that it sends, and is told those of its own. */
  private float[][] told(IntToDoubleFunction weight, int[][] come, int[][] go) {
    int k = group.size();
    int[][] theirs = new int[k][];
    int[] lengths = new int[k];
    for (int peer = 0; peer < k; peer++) {
      theirs[peer] =
          IntStream.of(come[peer])
              .map(row -> Float.floatToRawIntBits((float) weight.applyAsDouble(row)))
              .toArray();
      lengths[peer] = go[peer].length;
    }
    int[][] told = PeerLists.exchange(group, memory, theirs, lengths);
    float[][] own = new float[k][];
    for (int peer = 0; peer < k; peer++) {
      own[peer] = new float[told[peer].length];
      for (int i = 0; i < told[peer].length; i++) {
        own[peer][i] = Float.intBitsToFloat(told[peer][i]);
      }
    }
    return own;
  }

  /** Rows of one value in one direction, between all workers. */
  private final class Flow {
    private final HaloPassage passage;
    private final boolean back;
    private final RowGroups[] own = new RowGroups[group.size()];
    private final byte[][] widths = new byte[group.size()][0];

    Flow(HaloPassage passage, boolean back) {
      this.passage = passage;
      this.back = back;
    }

    RowExchange exchange() {
      return passage.exchange();
    }

    int groups() {
      int sum = 0;
      for (int count : rows) {
        sum += RowGroups.count(count, settings.group());
      }
      return sum;
    }

    /** Writes the costs of this worker's groups to their places among all. */
    void tell(double[] costs, int first) {
      float[][] ranges = exchange().squaredRanges(back);
      float[][] weight = weights(passage, back);
      int at = first;
      for (int from = 0; from < group.size(); from++) {
        for (int to = 0; to < group.size(); to++) {
          if (from == group.rank()) {
            double[] cost = new double[ranges[to].length];
            for (int i = 0; i < cost.length; i++) {
              cost[i] = weight[to][i] * passage.value().cols() / 6.0 * ranges[to][i];
            }
            own[to] = RowGroups.of(cost, settings.group());
            System.arraycopy(own[to].costs(), 0, costs, at, own[to].costs().length);
          }
          at += RowGroups.count(rows(from, to, back), settings.group());
        }
      }
    }

    /** Solves the problem that everyone has the same numbers of, and takes this worker's part. */
    void choose(double[] costs, int first, LinkModel[][] links) {
      int k = group.size();
      Lane[][] lanes = new Lane[k][k];
      int at = first;
      for (int from = 0; from < k; from++) {
        for (int to = 0; to < k; to++) {
          int count = rows(from, to, back);
          int[] sizes = new int[RowGroups.count(count, settings.group())];
          double[] cost = new double[sizes.length];
          for (int g = 0; g < sizes.length; g++, at++) {
            sizes[g] = RowGroups.rowsIn(g, count, settings.group());
            cost[g] = costs[at];
          }
          lanes[from][to] = new Lane(links[from][to], passage.value().cols(), sizes, cost);
        }
      }
      List<List<Lane>> rounds = new ArrayList<>();
      for (int r = 1; r < k; r++) {
        List<Lane> round = new ArrayList<>();
        for (int from = 0; from < k; from++) {
          round.add(lanes[from][(from + r) % k]);
        }
        rounds.add(round);
      }
      List<List<byte[]>> chosen =
          settings.bits() == 0
              ? WidthAssigner.assign(rounds, settings.lambda())
              : ByteBudget.assign(rounds, settings.bits());
      for (int r = 1; r < k; r++) {
        for (int from = 0; from < k; from++) {
          byte[] bits = chosen.get(r - 1).get(from);
          int to = (from + r) % k;
          for (int g = 0; g < bits.length; g++) {
            int count = lanes[from][to].rows()[g];
            double values = (double) count * passage.value().cols();
            elements[from * k + to] += values;
            elementBits[from * k + to] += values * bits[g];
          }
          if (from == group.rank()) {
            widths[to] = own[to].rowWidths(bits);
          }
        }
      }
    }
  }
}
