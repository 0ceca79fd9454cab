package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowNumbersTest {
  private static final int VERTICES = 30_000;

  /** Numbers are those of a set that remembers the order; also where entries begin anew. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void areThoseOfTheFirstArcsThatNameAVertex(int threads) {
    SplittableRandom random = RandomArcs.random(this);
    for (int before : new int[] {1, Integer.MAX_VALUE - 200, Integer.MAX_VALUE - 60_000}) {
      try (Memory memory = new Memory();
          ThreadTeam team = ThreadTeam.of(threads)) {
        RowNumbers numbers = new RowNumbers(team, memory, VERTICES, before);
        for (int batch = 0; batch < 4; batch++) {
          assertNumbers(random, numbers, memory);
        }
      }
    }
  }

  private static void assertNumbers(SplittableRandom random, RowNumbers numbers, Memory memory) {
    int[] seeds = random.ints(300, 0, VERTICES).distinct().toArray();
    List<Integer> expected = new ArrayList<>(IntStream.of(seeds).boxed().toList());
    MemorySegment listed = memory.allocateInts(VERTICES);
    MemorySegment.copy(seeds, 0, listed, JAVA_INT, 0, seeds.length);
    numbers.begin(listed, seeds.length);
    for (int hop = 0; hop < 3; hop++) {
      int bound = random.nextInt(1, VERTICES);
      int[] arcs = random.ints(random.nextInt(20_000), 0, bound).toArray();
      MemorySegment ids = memory.allocateInts(arcs.length);
      MemorySegment.copy(arcs, 0, ids, JAVA_INT, 0, arcs.length);
      numbers.expect(listed, arcs.length);
      int rows = numbers.number(ids, arcs.length);
      Set<Integer> all = new LinkedHashSet<>(expected);
      IntStream.of(arcs).forEach(all::add);
      expected = new ArrayList<>(all);
      int[] vertices = listed.asSlice(0, 4L * rows).toArray(JAVA_INT);
      assertThat(vertices).isEqualTo(expected.stream().mapToInt(v -> v).toArray());
      assertThat(expected.stream().map(numbers::rowOf).toList())
          .isEqualTo(IntStream.range(0, rows).boxed().toList());
      int[] named = ids.asSlice(0, 4L * arcs.length).toArray(JAVA_INT);
      List<Integer> byRow = expected;
      assertThat(IntStream.of(named).map(byRow::get).toArray()).isEqualTo(arcs);
    }
    int stranger = random.nextInt(VERTICES);
    assertThat(numbers.rowOf(stranger)).isEqualTo(expected.indexOf(stranger));
  }
}
