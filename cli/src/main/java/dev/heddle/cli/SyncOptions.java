package dev.heddle.cli;

import dev.heddle.train.settings.Consistency;
import dev.heddle.train.settings.GradientCodec;
import dev.heddle.train.settings.Queues;
import dev.heddle.train.settings.Sync;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the knobs {@code queues} and {@code sync}: what goes on while what travels. */
final class SyncOptions {
  /** When gradients are shared. */
  private enum Kind {
    EVERY_STEP(Sync.EveryStep.NAME),
    RACOM(Sync.Racom.NAME);

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    static Kind of(Sync sync) {
      return Arrays.stream(values())
          .filter(k -> k.label.equals(sync.kind()))
          .findFirst()
          .orElseThrow();
    }

    @Override
    public String toString() {
      return label;
    }
  }

  @Option(
      names = "--queues",
      paramLabel = "<off|n|adaptive>",
      description = {
        "Sample, fetch and train on batches at the same time (default: off).",
        "Each in a thread of its own; up to n rounds of batches (16 at most) may wait before each,"
            + " or adaptive for as many as measured times and --batch-memory suggest. What is"
            + " trained is the same."
      })
  private @Nullable String queues;

  @Option(
      names = "--sync",
      description = {
        "When workers share gradients: ${COMPLETION-CANDIDATES} (default: every-step).",
        "Before the next step, or while they go on, with models that lack a few updates; for"
            + " batches."
      })
  private @Nullable Kind sync;

  @Option(
      names = "--staleness",
      description =
          "With --sync racom, steps under way: a step lacks the updates of at most one less"
              + " (default: 4; 1 has the bits of every-step).")
  private @Nullable Integer staleness;

  @Option(
      names = "--consistency",
      paramLabel = "<off|steps|adaptive>",
      description =
          "With --sync racom, steps after which workers wait for all updates and compare their"
              + " models, which are averaged where they differ; adaptive for more often where they"
              + " are far apart or one is late (default: off; adaptive with --preset mqgnn).")
  private @Nullable String consistency;

  @Option(
      names = "--gradient-codec",
      description =
          "How gradients of parameters travel: ${COMPLETION-CANDIDATES}: bfloat16 for every-step,"
              + " bits8, rounded without bias, for racom (default: fp32).")
  private @Nullable GradientCodec codec;

  @Option(
      names = "--half-sums",
      description =
          "Whether workers sum gradients of parameters as bfloat16, half the bytes:"
              + " ${COMPLETION-CANDIDATES} (default: off): on is --gradient-codec bfloat16. Worth it"
              + " where parameters are many beside the rows that travel.")
  private @Nullable OnOff halfSums;

  /** What {@code --queues} says, else what stands in {@code base}. */
  Queues queues(Queues base) {
    return queues == null ? base : Queues.of(queues);
  }

  /** What these options say, else what stands in {@code base}. */
  Sync over(Sync base) {
    Kind kind = sync == null ? Kind.of(base) : sync;
    return switch (kind) {
      case EVERY_STEP ->
          new Sync.EveryStep(codec(kind == Kind.of(base) ? base.codec() : GradientCodec.FP32));
      case RACOM -> {
        Sync.Racom usual = base instanceof Sync.Racom racom ? racom : Sync.Racom.DEFAULT;
        yield new Sync.Racom(
            staleness == null ? usual.staleness() : staleness,
            codec(usual.codec()),
            consistency == null ? usual.consistency() : Consistency.of(consistency));
      }
    };
  }

  private GradientCodec codec(GradientCodec usual) {
    GradientCodec asked = codec == null ? usual : codec;
    if (halfSums == null) {
      return asked;
    }
    if (halfSums == OnOff.OFF) {
      return asked == GradientCodec.BFLOAT16 ? GradientCodec.FP32 : asked;
    }
    if (asked == GradientCodec.BITS8) {
      throw new InputException(
          "--half-sums on is --gradient-codec bfloat16, not bits8: say one of them");
    }
    return GradientCodec.BFLOAT16;
  }

  /** Keeps what was settled on, so that the run's file says it. */
  void settle(Queues settledQueues, Sync settled) {
    queues = settledQueues.toString();
    sync = Kind.of(settled);
    codec = settled.codec();
    // Said by the codec: a flag that changes either is then not in the way of the other.
    halfSums = null;
    if (settled instanceof Sync.Racom racom) {
      staleness = racom.staleness();
      consistency = racom.consistency().toString();
    }
  }
}
