package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.comm.JoinSettings;
import dev.heddle.nn.ModelKind;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * A worker in a process of its own that trains every model once, for {@link ProcessParallelTest}.
 */
final class ParallelWorker {
  private ParallelWorker() {}

  /** The case of a model: the same in all processes that have the seed. */
  static ParallelCase trial(long seed, ModelKind kind, int workers) {
    return ParallelCase.random(new SplittableRandom(seed + kind.label().hashCode()), kind, workers);
  }

  /** Arguments: rank, number of workers, seed, folder. */
  public static void main(String[] args) throws IOException {
    int rank = Integer.parseInt(args[0]);
    int workers = Integer.parseInt(args[1]);
    long seed = Long.parseLong(args[2]);
    Path folder = Path.of(args[3]);
    JoinSettings joining =
        JoinSettings.of(rank, workers, "unix:" + folder.resolve("meet"), "a secret of tests")
            .within(Duration.ofSeconds(60));
    try (Group group = Group.join(joining);
        DataOutputStream out = new DataOutputStream(output(folder, rank))) {
      for (ModelKind kind : ModelKind.values()) {
        try (ParallelCase what = trial(seed, kind, workers)) {
          what.asOneOf(group).write(out);
        }
      }
    }
  }

  private static BufferedOutputStream output(Path folder, int rank) throws IOException {
    return new BufferedOutputStream(Files.newOutputStream(folder.resolve("rank-" + rank)));
  }
}
