package dev.heddle.cli;

import dev.heddle.train.settings.HaloCodec;
import dev.heddle.train.settings.HaloSettings;
import dev.heddle.train.settings.TrainSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how rows travel between workers. */
final class HaloOptions {
  @Option(
      names = "--codec",
      description =
          "How rows and their gradients travel between workers: ${COMPLETION-CANDIDATES} (default:"
              + " ${DEFAULT-VALUE}). Fewer bits are rounded without bias; scores are of rows as"
              + " they are. What adaptive chooses depends on measured times: no two runs, nor a"
              + " resumed one, have the same bits. With --batch: how dense features travel, at one"
              + " width (not adaptive, random).")
  private HaloCodec codec = HaloCodec.FP32;

  @Option(
      names = "--overlap",
      description =
          "Whether rows travel while what needs none of them is computed: ${COMPLETION-CANDIDATES}"
              + " (default: ${DEFAULT-VALUE}). With --batch: rows of evaluations; batches travel"
              + " ahead by --ahead.")
  private OnOff overlap = OnOff.OFF;

  @Option(
      names = "--pre-aggregate",
      description =
          "Whether a worker sums rows for another before they travel, where that makes fewer of"
              + " them: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Not for models that"
              + " need neighbours one by one: gat, gatv2, sage-pool.")
  private OnOff preAggregate = OnOff.OFF;

  @Option(
      names = "--codec-delta",
      description =
          "With a codec of few bits: whether what changed since the last epoch is rounded instead of"
              + " the rows: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Workers remember"
              + " all rows that travel, from nothing when a run is resumed. For models without"
              + " dropout, which changes rows more than training does.")
  private OnOff delta = OnOff.OFF;

  @Option(
      names = "--half-sums",
      description =
          "Whether workers sum gradients of parameters as bfloat16, half the bytes:"
              + " ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Worth it where parameters"
              + " are many beside the rows that travel.")
  private OnOff halfSums = OnOff.OFF;

  @Option(
      names = "--codec-period",
      description =
          "With --codec adaptive or random: epochs after which widths are chosen anew (default:"
              + " 50).")
  private @Nullable Integer period;

  @Option(
      names = "--codec-lambda",
      description =
          "With --codec adaptive: what variance counts against time, from 0 to 1 (default: 0.5).")
  private @Nullable Double lambda;

  @Option(
      names = "--codec-group",
      description = "With --codec adaptive: rows for which one choice is made (default: 100).")
  private @Nullable Integer group;

  @Option(
      names = "--codec-bits",
      description =
          "With --codec adaptive or random: spend the bytes of rows at so many bits (2, 4 or 8),"
              + " whatever time they take (default: weigh variance against time, or draw freely).")
  private @Nullable Integer bits;

  /** Settings with what these options say. */
  TrainSettings apply(TrainSettings settings) {
    if (overlap == OnOff.ON && settings.batches() != null && settings.evaluateEvery() == 0) {
      throw new InputException(
          "--overlap on is for rows of the whole graph, and batches that are never evaluated have"
              + " none: use --ahead");
    }
    return settings.withHalo(
        new HaloSettings(codec, overlap == OnOff.ON, adaptation())
            .withPreAggregate(preAggregate == OnOff.ON)
            .withDelta(delta == OnOff.ON)
            .withHalfSums(halfSums == OnOff.ON));
  }

  private HaloSettings.Adaptation adaptation() {
    if (!codec.chooses() && (period != null || bits != null)) {
      throw new InputException(
          "--codec-period and --codec-bits are for --codec adaptive or random, not " + codec);
    }
    if (codec != HaloCodec.ADAPTIVE && (lambda != null || group != null)) {
      throw new InputException(
          "--codec-lambda and --codec-group are for --codec adaptive, not " + codec);
    }
    var usual = HaloSettings.Adaptation.DEFAULT;
    return new HaloSettings.Adaptation(
        period != null ? period : usual.period(),
        lambda != null ? lambda : usual.lambda(),
        group != null ? group : usual.group(),
        bits != null ? bits : usual.bits());
  }

  /** Refuses what would change nothing. */
  void requireSeveral(int workers) {
    if (workers == 1 && codec != HaloCodec.FP32) {
      throw new InputException(
          "--codec " + codec + " is for rows between workers, and there is one: add --workers");
    }
    requireSeveral(workers, "--overlap", overlap);
    requireSeveral(workers, "--pre-aggregate", preAggregate);
    requireSeveral(workers, "--half-sums", halfSums);
  }

  private static void requireSeveral(int workers, String option, OnOff value) {
    if (workers == 1 && value == OnOff.ON) {
      throw new InputException(
          option + " on is for rows between workers, and there is one: add --workers");
    }
  }
}
