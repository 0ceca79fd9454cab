package dev.heddle.graph.sample;

import java.util.List;

/**
 * How a graph is sampled.
 *
 * @param fanouts most in-arcs drawn per vertex, for each hop from the seeds on; for samplers of
 *     layers how many vertices are drawn; {@link #ALL} for all
 * @param replace whether an arc can be drawn several times
 * @param byWeight whether arcs are drawn in proportion to their weights
 * @param kappa over how many batches a source's draw changes from one to another that does not
 *     depend on it; 1 where batches do not depend on each other
 * @param layer how samplers of layers draw
 */
public record SampleSettings(
    SamplerKind kind,
    List<Integer> fanouts,
    boolean replace,
    boolean byWeight,
    int kappa,
    Layer layer) {
  /** The fan-out of a hop that takes all arcs. */
  public static final int ALL = -1;

  /** More is a mistake: of a vertex, or of a layer where those are drawn, so many arcs at most. */
  public static final int MOST_FANOUT = 1 << 20;

  /**
   * How vertices of a layer are drawn (arXiv 2206.00583).
   *
   * @param flat whether by the norms of their columns, which is flatter than by their squares
   * @param debias whether without replacement, with the weights that keep sums unbiased
   */
  public record Layer(boolean flat, boolean debias) {
    /** By squared norms and with replacement. */
    public static final Layer PLAIN = new Layer(false, false);
  }

  public SampleSettings {
    fanouts = List.copyOf(fanouts);
    if (kappa < 1) {
      throw new IllegalArgumentException("kappa is at least 1, not " + kappa);
    }
    if (kappa > 1 && kind != SamplerKind.LABOR) {
      throw new IllegalArgumentException(
          "the " + kind + " sampler draws anew for every batch: --kappa is for --sampler labor");
    }
    for (int fanout : fanouts) {
      if (fanout < 1 && fanout != ALL) {
        throw new IllegalArgumentException(
            "a fan-out is at least 1, or -1 for all neighbours, not " + fanout);
      }
      if (fanout > MOST_FANOUT) {
        throw new IllegalArgumentException(
            "a fan-out is at most " + MOST_FANOUT + ", or -1 for all neighbours, not " + fanout);
      }
    }
    if (kind != SamplerKind.NEIGHBOUR && (replace || byWeight)) {
      throw new IllegalArgumentException(
          "the "
              + kind
              + " sampler draws every arc at most once and all alike:"
              + " --replace and --by-weight are for the neighbour sampler");
    }
    if (!kind.layerwise() && !layer.equals(Layer.PLAIN)) {
      throw new IllegalArgumentException(
          "the "
              + kind
              + " sampler draws arcs: --flat and --debias are for --sampler ladies or fastgcn");
    }
    if (kind == SamplerKind.CLUSTER && !fanouts.isEmpty()) {
      throw new IllegalArgumentException(
          "the cluster sampler takes all arcs inside its parts: it has no fan-outs");
    }
  }

  /** Batches that do not depend on each other. */
  public SampleSettings(
      SamplerKind kind, List<Integer> fanouts, boolean replace, boolean byWeight) {
    this(kind, fanouts, replace, byWeight, 1);
  }

  /** Sampling that draws for no whole layer, or plainly. */
  public SampleSettings(
      SamplerKind kind, List<Integer> fanouts, boolean replace, boolean byWeight, int kappa) {
    this(kind, fanouts, replace, byWeight, kappa, Layer.PLAIN);
  }

  /** Sampling of so many vertices for each layer. */
  public static SampleSettings layers(SamplerKind kind, Layer layer, Integer... vertices) {
    return new SampleSettings(kind, List.of(vertices), false, false, 1, layer);
  }

  /** Uniform sampling of neighbours without replacement. */
  public static SampleSettings neighbours(Integer... fanouts) {
    return new SampleSettings(SamplerKind.NEIGHBOUR, List.of(fanouts), false, false);
  }

  public SampleSettings withReplacement() {
    return new SampleSettings(kind, fanouts, true, byWeight, kappa, layer);
  }

  public SampleSettings weighted() {
    return new SampleSettings(kind, fanouts, replace, true, kappa, layer);
  }

  /** These settings with batches that depend on so many before. */
  public SampleSettings withKappa(int value) {
    return new SampleSettings(kind, fanouts, replace, byWeight, value, layer);
  }

  /** The hops nearest the seeds, so many of them. */
  public SampleSettings first(int hops) {
    return new SampleSettings(kind, fanouts.subList(0, hops), replace, byWeight, kappa, layer);
  }

  public int hops() {
    return fanouts.size();
  }
}
