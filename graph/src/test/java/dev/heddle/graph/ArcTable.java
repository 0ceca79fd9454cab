package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Arcs as a plain list: the slow and obvious way that the real one is compared with. */
final class ArcTable {
  /** One arc. */
  record Arc(int source, int destination, float weight) {
    Arc reversed() {
      return new Arc(destination, source, weight);
    }

    boolean loop() {
      return source == destination;
    }
  }

  private ArcTable() {}

  /** Arcs in any order, with loops and repetitions; weights are small whole numbers. */
  static List<Arc> random(SplittableRandom random, int vertices, int arcs) {
    List<Arc> list = new ArrayList<>();
    for (int i = 0; i < arcs; i++) {
      // Squared, so that low vertices are hubs.
      double skew = random.nextDouble() * random.nextDouble();
      list.add(new Arc((int) (skew * vertices), random.nextInt(vertices), 1 + random.nextInt(9)));
    }
    return list;
  }

  /** By destination, then source; equal ones stay in order. */
  static List<Arc> sorted(List<Arc> arcs) {
    return arcs.stream()
        .sorted(Comparator.comparingInt(Arc::destination).thenComparingInt(Arc::source))
        .toList();
  }

  /** What a matrix of arcs holds, row by row. */
  static List<Arc> of(Csr csr) {
    List<Arc> list = new ArrayList<>();
    for (int row = 0; row < csr.rows(); row++) {
      for (long arc = csr.offset(row); arc < csr.offset(row + 1); arc++) {
        list.add(new Arc(csr.id(arc), row, csr.weight(arc)));
      }
    }
    return list;
  }

  static Arcs list(Memory memory, List<Arc> arcs, boolean weighted) {
    Arcs list = weighted ? Arcs.weighted(memory) : Arcs.unweighted(memory);
    for (Arc arc : arcs) {
      list.add(arc.source(), arc.destination(), arc.weight());
    }
    return list;
  }
}
