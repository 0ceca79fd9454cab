package dev.heddle.train.settings;

/** When workers share the gradients of parameters, and how. */
public sealed interface Sync {
  /** Sums in every step, of float32. */
  Sync DEFAULT = new EveryStep(GradientCodec.FP32);

  /**
   * All workers sum theirs before each step, and go on with the same parameters.
   *
   * @param codec how gradients travel to be summed
   */
  record EveryStep(GradientCodec codec) implements Sync {
    /** The name users write. */
    public static final String NAME = "every-step";

    @Override
    public String kind() {
      return NAME;
    }

    @Override
    public boolean halfSums() {
      return codec == GradientCodec.BFLOAT16;
    }
  }

  /**
   * Gradients travel while workers go on: RaCoM-S, ready-to-update asynchronous consistent model
   * (MQ-GNN, arXiv 2601.04707). An update is made when the gradients of all workers of its step are
   * in, in the order of steps; a step may read parameters that lack the updates of those just
   * before it.
   *
   * @param staleness Q: a step lacks at most Q − 1 updates; 1 waits in every step, with the bits of
   *     {@link EveryStep}
   */
  record Racom(int staleness, GradientCodec codec, Consistency consistency) implements Sync {
    /** The name users write. */
    public static final String NAME = "racom";

    /** Beyond this, gradients are of a model that training has long left. */
    public static final int MOST_STALENESS = 16;

    /** Steps under way where nobody says how many: as many as the paper's queues hold. */
    public static final Racom DEFAULT = new Racom(4, GradientCodec.FP32, Consistency.OFF);

    public Racom {
      if (staleness < 1 || staleness > MOST_STALENESS) {
        throw new IllegalArgumentException(
            "from 1 to " + MOST_STALENESS + " steps can be under way, not " + staleness);
      }
    }

    public Racom withStaleness(int value) {
      return new Racom(value, codec, consistency);
    }

    public Racom withCodec(GradientCodec value) {
      return new Racom(staleness, value, consistency);
    }

    public Racom withConsistency(Consistency value) {
      return new Racom(staleness, codec, value);
    }

    @Override
    public String kind() {
      return NAME;
    }

    @Override
    public boolean halfSums() {
      return codec == GradientCodec.BFLOAT16;
    }
  }

  /** The name users write. */
  String kind();

  /** How gradients look on their way. */
  GradientCodec codec();

  /** Whether gradients of parameters are rounded to bfloat16 to be summed. */
  boolean halfSums();

  /** Gradients that are summed in every step, as they are or as bfloat16. */
  static Sync everyStep(boolean halfSums) {
    return new EveryStep(halfSums ? GradientCodec.BFLOAT16 : GradientCodec.FP32);
  }
}
