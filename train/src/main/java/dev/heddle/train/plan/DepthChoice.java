package dev.heddle.train.plan;

import dev.heddle.nn.ModelSpec;
import dev.heddle.train.settings.TrainSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The depth at which owners take over, chosen as APT (PPoPP 2025) chooses: a dry run counts what
 * each depth would sample, load and shuffle on the same draws; rates of kernels and links make
 * seconds of that; the depth whose step is shortest at the worker that takes longest is taken, the
 * smaller one of equals.
 *
 * @param candidates in rising order of depth
 * @param ahead whether batches are loaded while others are computed
 */
public record DepthChoice(List<DepthCandidate> candidates, StepRates rates, boolean ahead) {
  public DepthChoice {
    candidates = List.copyOf(candidates);
    if (candidates.isEmpty()) {
      throw new IllegalArgumentException("there is no depth to choose from");
    }
  }

  /** The depth of the shortest step. */
  public int depth() {
    return ranked().getFirst().depth();
  }

  /** Settings with this depth. */
  public TrainSettings in(TrainSettings open, ModelSpec spec) {
    return open.withKnobs(open.knobs().withChosenDepth(depth(), spec.hops()));
  }

  /** Predicted seconds of a step at a depth that was a candidate. */
  public StepSeconds seconds(int depth) {
    return candidates.stream()
        .filter(c -> c.depth() == depth)
        .findFirst()
        .orElseThrow()
        .seconds(rates, ahead);
  }

  /** The candidates, those with short steps first. */
  private List<DepthCandidate> ranked() {
    return candidates.stream()
        .sorted(Comparator.comparingDouble(c -> c.seconds(rates, ahead).total()))
        .toList();
  }

  /** The choice, its reason and the next best, for a person. */
  public String line() {
    List<DepthCandidate> ranked = ranked();
    DepthCandidate best = ranked.getFirst();
    StepSeconds seconds = best.seconds(rates, ahead);
    String chosen =
        String.format(
            Locale.ROOT,
            "depth %d of %s (auto): %.3f ms a step are predicted, for %d arcs, %d rows loaded and %d"
                + " shuffled in %d batches",
            best.depth(),
            candidates.stream().map(DepthCandidate::depth).toList(),
            1e3 * seconds.total(),
            best.work().arcs(),
            best.work().loaded(),
            best.work().shuffled(),
            best.batches());
    if (ranked.size() == 1) {
      return chosen + "; there is no other";
    }
    DepthCandidate next = ranked.get(1);
    StepSeconds slower = next.seconds(rates, ahead);
    return chosen
        + String.format(
            Locale.ROOT,
            "; next is depth %d with %.3f ms, %s",
            next.depth(),
            1e3 * slower.total(),
            seconds.because(slower));
  }
}
