package dev.heddle.train.plan;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Seconds that a worker is predicted to take for a step, by what it does.
 *
 * @param sample drawing arcs
 * @param load reading rows of features
 * @param request until what batches need has come from others
 * @param compute forward and backward
 * @param shuffle until rows that others compute have come
 * @param ahead whether batches are loaded while others are computed
 */
public record StepSeconds(
    double sample, double load, double request, double compute, double shuffle, boolean ahead) {
  /** All of the step: what happens at one time counts as the longer of both. */
  public double total() {
    double loading = sample + load + request;
    double computing = compute + shuffle;
    return ahead ? Math.max(loading, computing) : loading + computing;
  }

  /** What most of the difference to a slower step is, in words. */
  String because(StepSeconds slower) {
    return parts(slower)
        .max(Comparator.comparingDouble(Part::seconds))
        .filter(part -> part.seconds > 0)
        .map(part ->
            String.format(Locale.ROOT, "which %s %.3f ms longer", part.verb, 1e3 * part.seconds))
        .orElse("which has as much to do");
  }

  private Stream<Part> parts(StepSeconds slower) {
    return List.of(
        new Part("samples", slower.sample - sample),
        new Part("loads rows", slower.load - load),
        new Part("waits for what batches need", slower.request - request),
        new Part("computes", slower.compute - compute),
        new Part("waits for rows of others", slower.shuffle - shuffle))
        .stream();
  }

  private record Part(String verb, double seconds) {}
}
