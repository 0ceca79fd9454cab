package dev.heddle.graph.sample;

import dev.heddle.kernel.UniformColumns;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the arcs of one hop are drawn.
 *
 * @param byVertex draws for one vertex at a time
 * @param columns draws what {@code byVertex} does for many vertices at once, ids alone; null where
 *     weights or self-loops have to be written with them
 */
record HopDraw(ArcDraw byVertex, @Nullable UniformColumns columns) {
  /**
   * A draw for each hop.
   *
   * @param weighted whether arcs drawn have weights
   */
  static List<HopDraw> of(SampleSettings settings, NeighbourArcs arcs, boolean weighted) {
    boolean idsAlone = !weighted && !arcs.selfLoops();
    return ArcDraw.of(settings, arcs.others()).stream()
        .map(draw -> new HopDraw(draw, idsAlone ? columns(draw) : null))
        .toList();
  }

  /** A draw for each hop where some vertices are cached: the last takes its arcs from these. */
  static List<HopDraw> preferring(
      CachedVertices cache, SampleSettings settings, NeighbourArcs arcs) {
    List<HopDraw> draws = new ArrayList<>();
    for (int hop = 0; hop < settings.hops(); hop++) {
      int fanout = settings.fanouts().get(hop);
      boolean last = hop == settings.hops() - 1;
      ArcDraw draw =
          last
              ? new CachedDraw(arcs.others(), fanout, cache)
              : fanout == SampleSettings.ALL
                  ? new AllArcs(arcs.others())
                  : new PreferringDraw(arcs.others(), fanout, cache);
      draws.add(new HopDraw(draw, null));
    }
    return draws;
  }

  private static @Nullable UniformColumns columns(ArcDraw draw) {
    return draw instanceof UniformDraw uniform ? uniform.columns() : null;
  }
}
