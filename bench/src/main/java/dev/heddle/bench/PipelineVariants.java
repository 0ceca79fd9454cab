package dev.heddle.bench;

import java.util.List;

/** Ways of dividing a deep model among workers, for the {@link PipelineBench}. */
final class PipelineVariants {
  /** Parts of the graph at their best: what everything is compared with. */
  static final String GRAPH = "graph";

  static final String LAYERS = "layers";

  /** Workers of a stage in hybrids, as in the paper's deep runs. */
  private static final int WAYS = 2;

  private PipelineVariants() {}

  /** All of them, the baseline first. */
  static List<HaloVariant> all(int workers) {
    String hybrid = "--split hybrid --overlap on --stages " + workers / WAYS;
    return List.of(
        of(GRAPH, "--split graph --overlap on"),
        of(LAYERS, "--split layers"),
        of("hybrid", hybrid),
        of("graph, 8 bits", "--split graph --overlap on --codec bits8"),
        of("layers, 8 bits", "--split layers --codec bits8"),
        of("hybrid, 8 bits", hybrid + " --codec bits8"));
  }

  /** Those of a list with commas; all if it is empty. */
  static List<HaloVariant> named(int workers, String names) {
    List<String> wanted = List.of(names.split(";", -1));
    return all(workers).stream().filter(v -> names.isEmpty() || wanted.contains(v.name())).toList();
  }

  private static HaloVariant of(String name, String flags) {
    return new HaloVariant(name, name, List.of(flags.split(" ", -1)));
  }
}
