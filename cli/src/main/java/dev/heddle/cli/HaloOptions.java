package dev.heddle.cli;

import dev.heddle.train.HaloCodec;
import dev.heddle.train.HaloSettings;
import dev.heddle.train.TrainSettings;
import picocli.CommandLine.Option;

/** The options that say how rows travel between workers. */
final class HaloOptions {
  @Option(
      names = "--codec",
      description =
          "How rows and their gradients travel between workers: ${COMPLETION-CANDIDATES} (default:"
              + " ${DEFAULT-VALUE}). Fewer bits are rounded without bias; scores are of rows as"
              + " they are.")
  private HaloCodec codec = HaloCodec.FP32;

  @Option(
      names = "--overlap",
      description =
          "Whether rows travel while what needs none of them is computed: ${COMPLETION-CANDIDATES}"
              + " (default: ${DEFAULT-VALUE}).")
  private OnOff overlap = OnOff.OFF;

  /** Settings with what these options say. */
  TrainSettings apply(TrainSettings settings) {
    return settings.withHalo(new HaloSettings(codec, overlap == OnOff.ON));
  }

  /** Refuses what would change nothing. */
  void requireSeveral(int workers) {
    if (workers == 1 && codec != HaloCodec.FP32) {
      throw new InputException(
          "--codec " + codec + " is for rows between workers, and there is one: add --workers");
    }
    if (workers == 1 && overlap == OnOff.ON) {
      throw new InputException(
          "--overlap on is for rows between workers, and there is one: add --workers");
    }
  }
}
