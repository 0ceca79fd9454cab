package dev.heddle.cli.compare;

import dev.heddle.nn.Metric;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A validation score that variants are timed to.
 *
 * @param said where it comes from, in words
 */
public record Target(double score, boolean higherIsBetter, String said) {
  /** How much of the lowest best score is asked for if nobody says. */
  private static final double SHARE = 0.99;

  /**
   * A score that is asked for, else one that all variants reach.
   *
   * @param asked null if nobody says
   */
  public static Target of(@Nullable Double asked, List<VariantResult> results) {
    List<VariantResult> whole = results.stream().filter(VariantResult::isWhole).toList();
    String metric = whole.isEmpty() ? "" : whole.getFirst().runs().getFirst().metric();
    boolean higher = metric.isEmpty() || Metric.named(metric).higherIsBetter();
    if (asked != null) {
      return new Target(asked, higher, "as asked");
    }
    Sample best = new Sample(whole.stream().map(result -> result.score("valid").mean()).toList());
    double worst = best.quantile(higher ? 0 : 1);
    return higher
        ? new Target(SHARE * worst, true, "99 % of the lowest best score")
        : new Target(worst / SHARE, false, "the highest best score by 0.99");
  }

  /** Whether there is one: where nothing is scored there is not. */
  boolean exists() {
    return Double.isFinite(score);
  }

  String words() {
    return String.format(Locale.ROOT, "%.4f (%s)", score, said);
  }
}
