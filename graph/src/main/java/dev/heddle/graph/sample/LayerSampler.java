package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;

/**
 * Samples layer by layer: for each hop some vertices are drawn for all rows together, and every row
 * takes its in-arcs from these. The number of rows grows by so many vertices with each hop, and not
 * by a factor.
 *
 * <p>Sums are unbiased: arcs stand for what their sources do ({@link LayerTable}), and means are
 * over degrees in the whole graph. Rows are not normalised by what they happen to have, as the
 * published programs do: that would be a ratio of two estimates, which is biased.
 *
 * <p>Needs the arcs of all vertices at hand.
 */
public final class LayerSampler implements Sampler {
  private final SampleSettings settings;
  private final BlockNeeds needs;
  private final boolean weighted;
  private final Memory kept;
  private final HopSampler hops;
  private final LayerChoice choice;
  private final HopDraw fromLayer;
  private final HopDraw all;

  private LayerSampler(
      OwnArcs with, SampleSettings settings, BlockNeeds asked, ThreadTeam team, Memory memory) {
    this.settings = settings;
    needs = asked.ofUnlikeArcs();
    kept = memory.child();
    NeighbourArcs arcs = NeighbourArcs.of(with, needs, memory);
    weighted = needs.weighs(with.in());
    var arrived = new ArrivedArcs(with.workers(), arcs, weighted, /* alike= */ false, kept);
    var hopArcs = new HopArcs(with, arcs, needs, arrived, team);
    hops = new HopSampler(hopArcs, arcs.vertices(), needs, team, kept);
    var table = new LayerTable(arcs.vertices(), kept);
    var norms = new ColumnNorms(arcs, needs.aggregation(), settings.layer().flat());
    choice =
        settings.kind() == SamplerKind.FASTGCN
            ? new FastGcnChoice(settings, norms, table, kept)
            : new LadiesChoice(settings, norms, needs.selfLoops(), hopArcs, table, team, kept);
    fromLayer = new HopDraw(new LayerDraw(arcs.others(), table), null);
    all = new HopDraw(new AllArcs(arcs.others()), null);
  }

  /**
   * A sampler of layers.
   *
   * @param team runs its loops, and nobody else's while it samples
   * @param memory where it keeps its tables; whoever made the memory closes it
   */
  public static LayerSampler of(
      OwnArcs arcs, SampleSettings settings, BlockNeeds needs, ThreadTeam team, Memory memory) {
    if (!settings.kind().layerwise()) {
      throw new IllegalArgumentException("the " + settings.kind() + " sampler draws no layers");
    }
    if (!arcs.everything()) {
      throw new IllegalArgumentException(
          "the " + settings.kind() + " sampler draws for all rows of a batch, and needs all arcs");
    }
    return new LayerSampler(arcs, settings, needs, team, memory);
  }

  @Override
  public SampledBatch newBatch(Memory memory) {
    return SampledBatch.ofHops(memory, settings.hops(), weighted, needs);
  }

  @Override
  public void sample(SeedOrder order, int first, List<SampledBatch> into) {
    SeedOrder everyone = order.everyone();
    for (int k = 0; k < into.size(); k++) {
      SampledBatch batch = into.get(k);
      batch.begin(order, first + k);
      choice.begin(everyone, first + k);
      for (int hop = 0; hop < settings.hops(); hop++) {
        long key = HopKey.of(settings, order, batch, hop);
        HopDraw by = choice.choose(hop, key) ? fromLayer : all;
        hops.make(hop, by, key, k, batch);
      }
    }
  }

  @Override
  public long tableBytes() {
    return hops.tableBytes() + choice.tableBytes();
  }

  @Override
  public long bytes() {
    return kept.bytes();
  }
}
