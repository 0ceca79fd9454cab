package dev.heddle.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Test scores by variant, at the best validation epoch, with fast links. Variants that compute the
 * same numbers are trained once.
 *
 * <p>Options: {@code --seeds}, {@code --scored-epochs}.
 */
final class HaloScores {
  private final List<HaloVariant> variants;
  private final int seeds;

  HaloScores(List<HaloVariant> variants, Options options) {
    this.variants = variants.stream().filter(v -> v.name().equals(v.scoresOf())).toList();
    seeds = options.number("seeds", 3);
  }

  void print(List<? extends ScoredCell> cells) throws IOException {
    System.out.println("| graph | model | variant | test | by seed | from the first |");
    System.out.println("|---|---|---|---|---|---|");
    for (ScoredCell cell : cells) {
      double first = Double.NaN;
      for (HaloVariant variant : variants) {
        double[] tests = new double[seeds];
        for (int seed = 0; seed < seeds; seed++) {
          tests[seed] = cell.scored(variant, seed).test();
        }
        double mean = Arrays.stream(tests).average().orElse(Double.NaN);
        if (Double.isNaN(first)) {
          first = mean;
        }
        System.out.printf(
            Locale.ROOT,
            "| %s | %s | %s | %.2f | %s | %+.2f |%n",
            cell.graphName(),
            cell.model(),
            variant.name(),
            mean,
            words(tests),
            mean - first);
      }
    }
  }

  private static String words(double[] tests) {
    return Arrays.stream(tests)
        .mapToObj(test -> String.format(Locale.ROOT, "%.2f", test))
        .collect(Collectors.joining(" "));
  }
}
