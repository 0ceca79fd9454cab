package dev.heddle.cli.compare;

import dev.heddle.cli.runs.RunRecord;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a comparison, one after another. A round has each variant once, with the round's
 * seed, and begins with another one than the round before: a machine that is busy for a while hurts
 * all alike. A run that has finished is read; one that has not is done again from its beginning,
 * since what a resumed run sent is counted from there. After a variant fails it gets no more turns.
 */
public final class Turns implements AutoCloseable {
  private final ComparisonFolder folder;
  private final List<Variant> variants;
  private final List<Long> seeds;
  private final Function<List<String>, List<String>> heddle;
  private final PrintWriter log;
  private final Map<String, String> failures = new LinkedHashMap<>();
  private final Thread hook = Thread.ofPlatform().name("heddle-turns").unstarted(this::stop);
  private @Nullable TrainProcess current;
  private boolean stopped;

  /**
   * Runs that are yet to begin.
   *
   * @param heddle a command for some words after {@code heddle}
   */
  public Turns(
      ComparisonFolder folder,
      List<Variant> variants,
      List<Long> seeds,
      Function<List<String>, List<String>> heddle,
      PrintWriter log) {
    this.folder = folder;
    this.variants = List.copyOf(variants);
    this.seeds = List.copyOf(seeds);
    this.heddle = heddle;
    this.log = log;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Takes all turns that are left; returns whether nobody asked to stop. */
  public boolean take() {
    for (int round = 0; round < seeds.size(); round++) {
      for (int i = 0; i < variants.size(); i++) {
        Variant variant = variants.get((i + round) % variants.size());
        if (!failures.containsKey(variant.name()) && !turn(variant, round, i)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean turn(Variant variant, int round, int place) {
    long seed = seeds.get(round);
    String where =
        "round "
            + (round + 1)
            + "/"
            + seeds.size()
            + ", "
            + (place + 1)
            + "/"
            + variants.size()
            + " "
            + variant.name()
            + ": ";
    if (RunRecord.isFinished(folder.run(variant, seed))) {
      log.println(where + "read, it is there");
      return true;
    }
    TrainProcess process = start(variant, seed);
    if (process == null) {
      return false;
    }
    try {
      @Nullable String failure = process.await();
      if (failure == null && !RunRecord.isFinished(folder.run(variant, seed))) {
        failure = "ended without a summary";
      }
      if (process.wasInterrupted() || isStopped()) {
        return false;
      }
      if (failure != null) {
        failures.put(variant.name(), seeds.size() == 1 ? failure : "seed " + seed + ": " + failure);
      }
      log.println(where + (failure == null ? said(variant, seed) : "failed: " + failure));
      return true;
    } catch (InterruptedException e) {
      process.stop();
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private synchronized @Nullable TrainProcess start(Variant variant, long seed) {
    if (stopped) {
      return null;
    }
    var run = folder.empty(variant, seed);
    List<String> words =
        List.of(
            "train",
            "--config",
            folder.settings(variant).toString(),
            "--seed",
            Long.toString(seed),
            "--out",
            run.toString());
    current = TrainProcess.start(heddle.apply(words), run);
    return current;
  }

  private String said(Variant variant, long seed) {
    RunRecord run = RunRecord.read(folder.run(variant, seed));
    return String.format(
        Locale.ROOT,
        "%.1f s of training, test %.4f",
        run.number("/trainSeconds"),
        run.number("/test"));
  }

  /** What all turns came to. */
  public List<VariantResult> results() {
    List<VariantResult> results = new ArrayList<>();
    for (Variant variant : variants) {
      List<RunRecord> runs =
          seeds.stream()
              .map(seed -> folder.run(variant, seed))
              .filter(Files::isDirectory)
              .map(RunRecord::read)
              .filter(run -> run.summary() != null)
              .toList();
      results.add(new VariantResult(variant, runs, failures.get(variant.name())));
    }
    return results;
  }

  /** On Ctrl-C: the run that is going on is asked to end, none begins after it. */
  private void stop() {
    TrainProcess running;
    synchronized (this) {
      stopped = true;
      running = current;
    }
    if (running != null) {
      running.stop();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The process is ending: the hook runs.
    }
  }
}
