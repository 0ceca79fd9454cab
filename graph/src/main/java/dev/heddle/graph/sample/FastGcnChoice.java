package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * FastGCN (Chen, Ma & Xiao, ICLR 2018): one distribution over all vertices for all layers of all
 * batches, by what each is worth to the whole graph. Made once, in one pass over all arcs; drawing
 * looks at no more vertices than it takes.
 */
final class FastGcnChoice implements LayerChoice {
  private final SampleSettings settings;
  private final LayerTable table;
  private final Distribution distribution;
  private final long tableBytes;

  FastGcnChoice(SampleSettings settings, ColumnNorms norms, LayerTable table, Memory memory) {
    this.settings = settings;
    this.table = table;
    Csr in = norms.arcs().others();
    int n = in.rows();
    distribution = new Distribution(index -> index, memory);
    MemorySegment worth = distribution.begin(n);
    for (int v = 0; v < n; v++) {
      double common = norms.ofDestination(v);
      for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
        double w = in.weight(arc);
        long at = 1L + in.id(arc);
        worth.setAtIndex(JAVA_DOUBLE, at, worth.getAtIndex(JAVA_DOUBLE, at) + common * w * w);
      }
    }
    for (int u = 0; u < n; u++) {
      double sum = worth.getAtIndex(JAVA_DOUBLE, u + 1L);
      worth.setAtIndex(JAVA_DOUBLE, u + 1L, norms.worth(u, sum));
    }
    distribution.finish();
    tableBytes = (n + 1L) * Double.BYTES + (long) n * Float.BYTES;
  }

  @Override
  public void begin(SeedOrder everyone, int batch) {}

  @Override
  public boolean choose(int hop, long key) {
    int wanted = settings.fanouts().get(hop);
    if (wanted == SampleSettings.ALL || wanted >= distribution.positive()) {
      return false;
    }
    table.draw(distribution, wanted, settings.layer().debias(), key);
    return true;
  }

  @Override
  public long tableBytes() {
    return tableBytes;
  }
}
