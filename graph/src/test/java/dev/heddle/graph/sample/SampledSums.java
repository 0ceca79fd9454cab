package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What layers that only aggregate make of a number for each vertex, in a graph or in a sample. */
final class SampledSums {
  private SampledSums() {}

  /** A layer over all arcs. */
  static double[] exact(Csr in, BlockNeeds needs, double[] x) {
    try (Memory memory = new Memory()) {
      Csr arcs = needs.selfLoops() ? SelfLoops.added(memory, in) : in;
      Block block = Block.of(memory, arcs);
      double[] y = new double[arcs.rows()];
      for (int v = 0; v < y.length; v++) {
        y[v] = row(arcs, block, needs.aggregation(), v, x);
      }
      return y;
    }
  }

  /** All layers over a batch; of its seeds. */
  static double[] of(SampledBatch batch, BlockNeeds needs, double[] x) {
    double[] rows = new double[batch.rows(batch.hops())];
    for (int row = 0; row < rows.length; row++) {
      rows[row] = x[batch.ids().at(row)];
    }
    for (int h = batch.hops() - 1; h >= 0; h--) {
      double[] y = new double[batch.rows(h)];
      boolean named = h < batch.hops() - 1 || !needs.sumsLastHop();
      for (int row = 0; row < y.length; row++) {
        y[row] =
            named
                ? row(batch.hop(h).in(), batch.hop(h).block(), needs.aggregation(), row, rows)
                : row(batch.hop(h).in(), null, null, row, x);
      }
      rows = y;
    }
    return rows;
  }

  private static double row(
      Csr arcs, @Nullable Block block, @Nullable Normalisation normalisation, int row, double[] x) {
    MemorySegment sources =
        normalisation == Normalisation.SYMMETRIC && block != null ? block.symmetricSource() : null;
    double sum = 0;
    for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
      double each = arcs.weight(arc) * x[arcs.id(arc)];
      sum += sources == null ? each : each * sources.getAtIndex(JAVA_FLOAT, arcs.id(arc));
    }
    if (block == null || normalisation == null) {
      return sum;
    }
    return switch (normalisation) {
      case SUM -> sum;
      case MEAN -> sum * block.inverseDegree().getAtIndex(JAVA_FLOAT, row);
      case SYMMETRIC -> sum * block.symmetricDestination().getAtIndex(JAVA_FLOAT, row);
    };
  }
}
