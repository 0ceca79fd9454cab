package dev.heddle.bench;

import java.util.List;

/** A way to sample, as flags of {@code heddle train}. */
record SamplerVariant(String name, List<String> flags) {
  /**
   * All of them; {@code +f} and {@code +d} are flat and debiased.
   *
   * @param fanout arcs of a vertex, for samplers that draw these
   * @param layer vertices of a layer, for those that draw these
   * @param cacheBytes room for features that are kept
   */
  static List<SamplerVariant> all(String fanout, String layer, String cacheBytes) {
    String arcs = "--fanout " + fanout;
    String layers = "--fanout " + layer + "," + layer;
    String cache = "--cache-bytes " + cacheBytes;
    return List.of(
        of("neighbour", arcs),
        of("hot rows", arcs, "--cache hot", cache),
        of("gns", arcs, "--cache gns", cache),
        of("gns by reach", arcs, "--cache gns --cache-rank vip", cache),
        of("labor", arcs, "--sampler labor"),
        of("ladies", layers, "--sampler ladies"),
        of("ladies+f", layers, "--sampler ladies --flat"),
        of("ladies+d", layers, "--sampler ladies --debias"),
        of("ladies+f+d", layers, "--sampler ladies --flat --debias"),
        of("fastgcn", layers, "--sampler fastgcn"),
        of("fastgcn+f", layers, "--sampler fastgcn --flat"),
        of("fastgcn+d", layers, "--sampler fastgcn --debias"),
        of("fastgcn+f+d", layers, "--sampler fastgcn --flat --debias"));
  }

  private static SamplerVariant of(String name, String... flags) {
    return new SamplerVariant(name, List.of(String.join(" ", flags).split(" ", -1)));
  }
}
