package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a case came to: digests of its model's tensors and of its metrics, by name, or one of its
 * failure.
 */
record BitsResult(BitsCase of, SortedMap<String, BitsDigest> digests) {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  BitsResult {
    digests = Collections.unmodifiableSortedMap(new TreeMap<>(digests));
  }

  /** Runs a case; nothing that goes wrong in it stops the others. */
  static BitsResult of(BitsCase todo, HeddleCommand heddle, BitsFolder folder) {
    try {
      Path run = folder.emptyRun(todo);
      for (List<String> step : todo.steps()) {
        List<String> arguments = new ArrayList<>(List.of("train"));
        for (String argument : step) {
          arguments.add(folder.resolve(argument, run));
        }
        HeddleCommand.Ended ended = heddle.run(arguments, PATIENCE);
        if (ended.exit() != 0) {
          return failed(todo, ended.exit(), folder.withoutPaths(ended.lastError()));
        }
      }
      SortedMap<String, BitsDigest> digests =
          SafetensorsDigest.of(run.resolve("model.safetensors"));
      digests.put(BitsDigest.METRICS, MetricsDigest.of(run.resolve("metrics.jsonl")));
      return new BitsResult(todo, digests);
    } catch (NoSuchFileException e) {
      return failed(todo, 0, folder.withoutPaths("left no " + e.getFile()));
    } catch (IOException e) {
      return failed(todo, 0, folder.withoutPaths(String.valueOf(e.getMessage())));
    }
  }

  private static BitsResult failed(BitsCase of, int exit, String message) {
    SortedMap<String, BitsDigest> digests = new TreeMap<>();
    digests.put(BitsDigest.FAILURE, BitsDigest.failure(exit, message));
    return new BitsResult(of, digests);
  }

  /** Why there are no tensors; null where there are. */
  @Nullable BitsDigest failure() {
    return digests.get(BitsDigest.FAILURE);
  }
}
