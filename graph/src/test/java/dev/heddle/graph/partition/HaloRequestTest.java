package dev.heddle.graph.partition;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a part asks of others is enough, and no more than need be. */
class HaloRequestTest {
  private final SplittableRandom random = TestSeed.random(this);

  /** Hubs, vertices without arcs, multi-arcs and loops; weights or none. */
  private Graph graph(Memory memory, int n) {
    int[][] columns = new int[n][];
    for (int v = 0; v < n; v++) {
      int degree = v % 10 == 3 ? 0 : v == 5 ? 2 * n : random.nextInt(1, 6);
      columns[v] =
          IntStream.range(0, degree)
              .map(_ -> random.nextInt(random.nextInt(3) == 0 ? Math.min(3, n) : n))
              .sorted()
              .toArray();
    }
    Csr in = Csr.of(memory, n, columns);
    if (random.nextBoolean()) {
      MemorySegment weights = memory.allocateFloats(in.arcs());
      for (long arc = 0; arc < in.arcs(); arc++) {
        weights.setAtIndex(JAVA_FLOAT, arc, random.nextInt(-3, 4));
      }
      in = in.withWeights(weights);
    }
    return Graph.builder(memory, "random", in).build();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7})
  void sumsStandForWhatIsInThem(int workers) {
    for (int round = 0; round < 10; round++) {
      try (Graph graph = graph(new Memory(), random.nextInt(1, 120));
          Memory memory = new Memory()) {
        int n = graph.vertices();
        int empty = workers > 2 ? random.nextInt(workers) : -1;
        int[] owner =
            random.ints(10L * n + 50, 0, workers).filter(w -> w != empty).limit(n).toArray();
        double[] x = random.doubles(n).map(v -> v - 0.5).toArray();
        for (int worker = 0; worker < workers; worker++) {
          GraphPart part = GraphPart.of(graph, Partition.of(workers, owner), worker, memory);
          HaloRequest request = HaloRequest.fewestRows(part, memory);
          assertEnough(part, request, x);
          assertFewest(part, request);
          HaloRequest everything = HaloRequest.everyRow(part);
          assertThat(everything.arcs(memory, part.in(), part.sources())).isSameAs(part.in());
          assertThat(everything.end()).isEqualTo(part.sources());
        }
      }
    }
  }

  /** What own vertices sum over what comes is what they sum over their neighbours. */
  private static void assertEnough(GraphPart part, HaloRequest request, double[] x) {
    int spare = 3;
    double[] rows = new double[request.end() + spare];
    Arrays.fill(rows, Double.NaN);
    for (int row = 0; row < part.vertices(); row++) {
      rows[row] = x[part.vertex(row)];
    }
    for (int w = 0; w < part.parts(); w++) {
      int at = request.firstRow(w);
      for (int vertex : request.vertices(w)) {
        rows[at++] = x[vertex];
      }
      HaloRequest.Sums sums = request.sums(w);
      int arc = 0;
      for (int degree : sums.degrees()) {
        double sum = 0;
        for (int end = arc + degree; arc < end; arc++) {
          boolean weighted = sums.weights().length > 0;
          double weight = weighted ? Float.intBitsToFloat(sums.weights()[arc]) : 1;
          sum += weight * x[sums.sources()[arc]];
        }
        rows[at++] = sum;
      }
      assertThat(arc).isEqualTo(sums.sources().length);
      assertThat(at).isEqualTo(request.firstRow(w + 1));
    }
    try (Memory memory = new Memory()) {
      Csr arcs = request.arcs(memory, part.in(), rows.length);
      assertThat(arcs.cols()).isEqualTo(rows.length);
      for (int row = 0; row < part.vertices(); row++) {
        double expected = 0;
        for (long a = part.in().offset(row); a < part.in().offset(row + 1); a++) {
          expected += part.in().weight(a) * x[part.vertex(part.in().id(a))];
        }
        double sum = 0;
        for (long a = arcs.offset(row); a < arcs.offset(row + 1); a++) {
          sum += arcs.weight(a) * rows[arcs.id(a)];
          assertThat(a == arcs.offset(row) || arcs.id(a - 1) <= arcs.id(a)).isTrue();
        }
        assertThat(sum).isCloseTo(expected, within(1e-9));
      }
    }
  }

  /** As many as a matching found by trying one row after the other has (Kuhn's way). */
  private static void assertFewest(GraphPart part, HaloRequest request) {
    int own = part.vertices();
    for (int w = 0; w < part.parts(); w++) {
      int first = part.firstHaloRow(w);
      int count = part.firstHaloRow(w + 1) - first;
      boolean[][] joined = new boolean[count][own];
      TreeSet<Integer> destinations = new TreeSet<>();
      for (int row = 0; row < own; row++) {
        for (long a = part.in().offset(row); a < part.in().offset(row + 1); a++) {
          int source = part.in().id(a) - first;
          if (source >= 0 && source < count) {
            joined[source][row] = true;
            destinations.add(row);
          }
        }
      }
      int[] matched = new int[own];
      Arrays.fill(matched, -1);
      int size = 0;
      for (int source = 0; source < count; source++) {
        size += augment(source, joined, matched, new boolean[own]) ? 1 : 0;
      }
      int rows = request.firstRow(w + 1) - request.firstRow(w);
      assertThat(rows).isEqualTo(size);
      assertThat(rows).isLessThanOrEqualTo(Math.min(count, destinations.size()));
    }
  }

  private static boolean augment(int source, boolean[][] joined, int[] matched, boolean[] seen) {
    for (int row = 0; row < matched.length; row++) {
      if (joined[source][row] && !seen[row]) {
        seen[row] = true;
        if (matched[row] < 0 || augment(matched[row], joined, matched, seen)) {
          matched[row] = source;
          return true;
        }
      }
    }
    return false;
  }
}
