package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ArcTable.Arc;
import dev.heddle.graph.Arcs.Option;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArcsTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = TestSeed.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void everyCombinationOfOptionsIsWhatAListGives() {
    for (int vertices : new int[] {1, 2, 3, 17, 64, 300}) {
      List<Arc> arcs = ArcTable.random(random, vertices, random.nextInt(4 * vertices + 1));
      for (int bits = 0; bits < 8; bits++) {
        Set<Option> options = EnumSet.noneOf(Option.class);
        for (int i = 0; i < 3; i++) {
          if ((bits >> i & 1) != 0) {
            options.add(List.of(Option.values()).get(i));
          }
        }
        check(arcs, vertices, options, true);
        check(arcs, vertices, options, false);
      }
    }
  }

  private void check(List<Arc> arcs, int vertices, Set<Option> options, boolean weighted) {
    Csr csr = ArcTable.list(memory, arcs, weighted).toCsr(memory, vertices, options);
    assertThat(csr.rows()).isEqualTo(vertices);
    assertThat(csr.cols()).isEqualTo(vertices);
    assertThat(ArcTable.of(csr))
        .describedAs("%s of %s", options, arcs)
        .isEqualTo(expected(arcs, options, weighted));
  }

  private static List<Arc> expected(List<Arc> arcs, Set<Option> options, boolean weighted) {
    List<Arc> all = new ArrayList<>();
    for (Arc given : arcs) {
      Arc arc = weighted ? given : new Arc(given.source(), given.destination(), 1);
      if (arc.loop() && options.contains(Option.DROP_LOOPS)) {
        continue;
      }
      all.add(arc);
      if (!arc.loop() && options.contains(Option.SYMMETRISE)) {
        all.add(arc.reversed());
      }
    }
    List<Arc> sorted = ArcTable.sorted(all);
    if (!options.contains(Option.COALESCE)) {
      return sorted;
    }
    List<Arc> merged = new ArrayList<>();
    for (Arc arc : sorted) {
      Arc last = merged.isEmpty() ? new Arc(-1, -1, 0) : merged.getLast();
      if (last.source() == arc.source() && last.destination() == arc.destination()) {
        float weight = weighted ? last.weight() + arc.weight() : 1;
        merged.set(merged.size() - 1, new Arc(arc.source(), arc.destination(), weight));
      } else {
        merged.add(arc);
      }
    }
    return merged;
  }

  @Test
  void growsOverManyChunks() {
    int vertices = 1000;
    int count = 700_000;
    Arcs arcs = Arcs.unweighted(memory);
    for (int i = 0; i < count; i++) {
      arcs.add(i % vertices, i / vertices);
    }
    assertThat(arcs.size()).isEqualTo(count);
    Csr csr = arcs.toCsr(memory, vertices, Set.of());
    assertThat(csr.arcs()).isEqualTo(count);
    for (int row = 0; row < vertices; row++) {
      assertThat(csr.degree(row)).isEqualTo(row < count / vertices ? vertices : 0);
    }
    for (long arc = 0; arc < count; arc++) {
      if (csr.id(arc) != arc % vertices) {
        assertThat(csr.id(arc)).describedAs("arc %d", arc).isEqualTo((int) (arc % vertices));
      }
    }
  }

  @Test
  void anEndOutOfRangeIsRefused() {
    Arcs arcs = Arcs.unweighted(memory);
    arcs.add(0, 3);
    assertThatThrownBy(() -> arcs.toCsr(memory, 3, Set.of()))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void transposingIsReversing() {
    for (int vertices : new int[] {1, 5, 100}) {
      List<Arc> arcs = ArcTable.random(random, vertices, 5 * vertices);
      Csr csr = ArcTable.list(memory, arcs, true).toCsr(memory, vertices, Set.of());
      Csr transposed = Transpose.of(memory, csr);
      List<Arc> reversed = ArcTable.of(csr).stream().map(Arc::reversed).toList();
      assertThat(ArcTable.of(transposed)).isEqualTo(ArcTable.sorted(reversed));
      assertThat(ArcTable.of(Transpose.of(memory, transposed))).isEqualTo(ArcTable.of(csr));
    }
  }

  @Test
  void rectanglesTranspose() {
    Csr csr = Csr.of(memory, 5, new int[][] {{0, 4}, {}, {1, 4}});
    Csr transposed = Transpose.of(memory, csr);
    assertThat(transposed.rows()).isEqualTo(5);
    assertThat(transposed.cols()).isEqualTo(3);
    assertThat(transposed.weights()).isNull();
    assertThat(ArcTable.of(transposed))
        .containsExactly(new Arc(0, 0, 1), new Arc(2, 1, 1), new Arc(0, 4, 1), new Arc(2, 4, 1));
  }
}
