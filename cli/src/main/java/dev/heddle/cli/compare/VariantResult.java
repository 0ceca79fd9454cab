package dev.heddle.cli.compare;

import dev.heddle.cli.runs.EpochRecord;
import dev.heddle.cli.runs.RunRecord;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a variant came to, all its seeds together.
 *
 * @param runs that finished
 * @param failure why it failed, in a line; null if it did not
 */
public record VariantResult(Variant variant, List<RunRecord> runs, @Nullable String failure) {
  public VariantResult {
    runs = List.copyOf(runs);
  }

  public String name() {
    return variant.name();
  }

  /** Whether it has all its runs; figures of some of them would mislead. */
  public boolean isWhole() {
    return failure == null && !runs.isEmpty();
  }

  private Sample each(ToDoubleFunction<RunRecord> figure) {
    return new Sample(runs.stream().mapToDouble(figure).boxed().toList());
  }

  /** A number of the summaries. */
  Sample summaries(String pointer) {
    return each(run -> run.number(pointer));
  }

  /** Of all epochs of all runs. */
  Sample epochSeconds() {
    return new Sample(
        runs.stream().flatMap(run -> run.epochs().stream()).map(EpochRecord::seconds).toList());
  }

  /** Bytes or messages of a kind in an epoch. */
  double sent(String kind, String figure) {
    return each(run -> run.sent(kind, figure)).mean();
  }

  /** Bytes or messages for training in an epoch. */
  double sent(String figure) {
    return each(run -> run.sent(figure)).mean();
  }

  Set<String> kinds() {
    Set<String> kinds = new TreeSet<>();
    runs.forEach(run -> kinds.addAll(run.kinds()));
    return kinds;
  }

  /** The score at the best epoch, on {@code train}, {@code valid} or {@code test}. */
  Sample score(String part) {
    return summaries("/" + part);
  }

  /** The most memory that any of the runs took. */
  double peakBytes(String kind) {
    return summaries("/peakMemoryBytes/" + kind).quantile(1);
  }

  /** The epochs in which runs reach a score; those that never do are left out. */
  Sample epochsTo(Target target) {
    return new Sample(
        runs.stream()
            .map(run -> run.reaches(target.score(), target.higherIsBetter()))
            .filter(Objects::nonNull)
            .map(epoch -> (double) epoch.epoch())
            .toList());
  }

  /** Seconds of training until then. */
  Sample secondsTo(Target target) {
    return each(run -> {
      EpochRecord reached = run.reaches(target.score(), target.higherIsBetter());
      return reached == null ? Double.NaN : run.secondsUntil(reached.epoch());
    });
  }
}
