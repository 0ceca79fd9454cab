package dev.heddle.cli;

import dev.heddle.nn.ModelSpec;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What options come to, the same for every worker of a run.
 *
 * @param path of the run's folder, which the first worker alone writes into
 * @param resumed whether the folder is that of a run that goes on
 * @param trace which the first worker writes in the end; null if nobody wants it
 * @param watched whether workers say what they are at, for the page of runs
 */
record RunPlan(
    ModelSpec model,
    TrainSettings settings,
    Path path,
    boolean resumed,
    Checkpoints checkpoints,
    @Nullable TraceFile trace,
    boolean watched) {
  /** Takes the folder; the caller closes it. */
  RunFolder folder() {
    return resumed ? RunFolder.open(path) : RunFolder.create(path);
  }
}
