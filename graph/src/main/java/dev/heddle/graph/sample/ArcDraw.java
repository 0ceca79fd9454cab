package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import java.util.List;

/**
 * Which of a vertex's in-arcs are taken in one hop. The key is that of the hop in one batch of one
 * epoch; what is drawn depends on it and on numbers of vertices alone.
 */
sealed interface ArcDraw
    permits AllArcs,
        UniformDraw,
        WeightedDraw,
        LaborDraw,
        DependentLaborDraw,
        LayerDraw,
        CachedDraw,
        PreferringDraw {
  /** A draw for each hop, from the arcs of a graph or those that one of several workers has. */
  static List<ArcDraw> of(SampleSettings settings, Csr arcs) {
    if (settings.byWeight() && arcs.weights() == null) {
      throw new IllegalArgumentException("arcs without weights cannot be drawn by weight");
    }
    return settings.fanouts().stream().map(fanout -> of(settings, fanout, arcs)).toList();
  }

  private static ArcDraw of(SampleSettings settings, int fanout, Csr arcs) {
    if (fanout == SampleSettings.ALL) {
      return new AllArcs(arcs);
    }
    if (settings.byWeight()) {
      return new WeightedDraw(arcs, fanout, settings.replace());
    }
    if (settings.kappa() > 1) {
      return DependentLaborDraw.of(arcs, fanout, settings.kappa());
    }
    return settings.kind() == SamplerKind.LABOR
        ? new LaborDraw(arcs, fanout)
        : new UniformDraw(arcs, fanout, settings.replace());
  }

  /** How many arcs {@link #draw} will take. */
  int count(int vertex, long key);

  /** Writes the arcs from an index on. */
  void draw(int vertex, long key, DrawnArcs into, long at);
}
