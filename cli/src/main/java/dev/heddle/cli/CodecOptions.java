package dev.heddle.cli;

import dev.heddle.train.settings.Adaptation;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.RowCodec;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the knob {@code codec}: how rows look on their way between workers. */
final class CodecOptions {
  @Option(
      names = "--codec",
      description = {
        "How rows travel between workers: ${COMPLETION-CANDIDATES} (default: fp32).",
        "Their gradients, too. Fewer bits are rounded without bias; scores are of rows as they are."
            + " What adaptive chooses depends on measured times: no two runs, nor a resumed one,"
            + " have the same bits. With --batch: how dense features travel, at one width (not"
            + " adaptive, random)."
      })
  private @Nullable CodecKind codec;

  @Option(
      names = "--pre-aggregate",
      description =
          "Whether a worker sums rows for another before they travel, where that makes fewer of"
              + " them: ${COMPLETION-CANDIDATES} (default: off). Not for models that"
              + " need neighbours one by one: gat, gatv2, sage-pool.")
  private @Nullable OnOff preAggregate;

  @Option(
      names = "--codec-delta",
      description =
          "With a codec of few bits: whether what changed since the last epoch is rounded instead of"
              + " the rows: ${COMPLETION-CANDIDATES} (default: off). Workers remember"
              + " all rows that travel, from nothing when a run is resumed. For models without"
              + " dropout, which changes rows more than training does.")
  private @Nullable OnOff delta;

  @Option(
      names = "--codec-period",
      description =
          "With --codec adaptive or random: epochs after which widths are chosen anew (default:"
              + " 50; with --preset adaqp a fifth of all).")
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

  /** What these options say, else what stands in {@code base}; another kind has its own usuals. */
  RowCodec over(RowCodec base) {
    CodecKind kind = codec != null ? codec : base.kind();
    Adaptation usual = kind == base.kind() ? base.adaptation() : Adaptation.DEFAULT;
    var adaptation =
        new Adaptation(
            period != null ? period : usual.period(),
            lambda != null ? lambda : usual.lambda(),
            group != null ? group : usual.group(),
            bits != null ? bits : usual.bits());
    return new RowCodec(
        kind,
        adaptation,
        OnOff.or(delta, base.delta()),
        OnOff.or(preAggregate, base.preAggregate()));
  }

  /** Keeps what was settled on, so that the run's file says it, whatever a preset may be later. */
  void settle(RowCodec settled) {
    codec = settled.kind();
    preAggregate = OnOff.of(settled.preAggregate());
    delta = OnOff.of(settled.delta());
    if (settled.kind().chooses()) {
      period = settled.adaptation().period();
    }
  }
}
