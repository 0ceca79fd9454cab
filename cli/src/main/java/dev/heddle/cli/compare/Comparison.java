package dev.heddle.cli.compare;

import dev.heddle.cli.runs.RunRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison came to.
 *
 * @param graph as it was named
 * @param common what was said of all variants, or filled in, in words
 */
public record Comparison(
    String graph, String common, List<Long> seeds, Target target, List<VariantResult> results) {
  public Comparison {
    seeds = List.copyOf(seeds);
    results = List.copyOf(results);
  }

  /** The results of some turns, with the score that their times are taken to. */
  public static Comparison of(
      String graph,
      String common,
      List<Long> seeds,
      @Nullable Double target,
      List<VariantResult> results) {
    return new Comparison(graph, common, seeds, Target.of(target, results), results);
  }

  public boolean isWhole() {
    return results.stream().allMatch(VariantResult::isWhole);
  }

  List<VariantResult> whole() {
    return results.stream().filter(VariantResult::isWhole).toList();
  }

  String metric() {
    return whole().stream()
        .map(result -> result.runs().getFirst().metric())
        .findFirst()
        .orElse("score");
  }

  /** All kinds of what any of them sent. */
  List<String> kinds() {
    Set<String> kinds = new TreeSet<>();
    whole().forEach(result -> kinds.addAll(result.kinds()));
    return new ArrayList<>(kinds);
  }

  /** The finished run of a variant with the first seed, whose settings stand for all. */
  static RunRecord first(VariantResult result) {
    return result.runs().getFirst();
  }
}
