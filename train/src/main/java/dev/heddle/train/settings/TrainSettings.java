package dev.heddle.train.settings;

import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.LearningRate;
import dev.heddle.nn.Metric;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a model is trained: for how long, how fast, and with what.
 *
 * <p>{@code TrainSettings.builder().epochs(200).learningRate(0.01f).build()}.
 */
public final class TrainSettings {
  /**
   * So many epochs from one evaluation to the next that what several workers send for them is at
   * most a tenth of all; one worker evaluates after every epoch.
   */
  public static final int SELDOM = -1;

  private final Builder from;

  private TrainSettings(Builder from) {
    this.from = from;
  }

  public static Builder builder() {
    return new Builder();
  }

  public int epochs() {
    return from.epochs;
  }

  public OptimizerKind optimizer() {
    return from.optimizer;
  }

  /** The learning rate of each epoch. */
  public LearningRate learningRate() {
    return from.learningRate;
  }

  public float weightDecay() {
    return from.weightDecay;
  }

  /** Momentum of SGD. */
  public float momentum() {
    return from.momentum;
  }

  /** Largest norm of all gradients together; 0 for no limit. */
  public float clipNorm() {
    return from.clipNorm;
  }

  /** Epochs without a better validation score after which training stops; 0 to never stop. */
  public int patience() {
    return from.patience;
  }

  /** Epochs from one evaluation to the next; 0 to never evaluate, or {@link #SELDOM}. */
  public int evaluateEvery() {
    return from.evaluateEvery;
  }

  /** What is measured; by default what suits the labels. */
  public @Nullable Metric metric() {
    return from.metric;
  }

  public long seed() {
    return from.seed;
  }

  public int threads() {
    return from.threads;
  }

  /** Whether what depends on input features alone is computed once and kept. */
  public boolean cacheConstants() {
    return from.cacheConstants;
  }

  /** Whether rows are rounded to bfloat16 before they are gathered. */
  public boolean halfWidth() {
    return from.halfWidth;
  }

  /** How the work is placed and timed: what varies between training systems. */
  public Knobs knobs() {
    return from.knobs;
  }

  /** Most bytes outside the heap that training may take; it refuses to begin when it needs more. */
  public long memoryLimit() {
    return from.memoryLimit;
  }

  /** Training in batches; null for the whole graph in every step. */
  public @Nullable BatchSettings batches() {
    return from.batches;
  }

  /** Whether so many workers are to choose at which depth owners take over. */
  public boolean choosesDepth(int workers) {
    return batches() != null && knobs().together(workers) && knobs().batchSplit().depth().isOpen();
  }

  /** How the model is cut by its layers; null where every worker has all of them. */
  public @Nullable LayerSplit layers() {
    return knobs().split().cutsLayers() ? knobs().layers() : null;
  }

  /** A folder in whose files values and gradients lie, for what exceeds memory. */
  public @Nullable Path scratch() {
    return from.scratch;
  }

  /** The settings of each of several workers on one machine, who share its threads and memory. */
  public TrainSettings sharedBy(int workers) {
    return with(
        b -> b.threads(Math.max(1, threads() / workers)).memoryLimit(memoryLimit() / workers));
  }

  /** These settings, placed and timed in another way. */
  public TrainSettings withKnobs(Knobs knobs) {
    return with(b -> b.knobs(knobs));
  }

  /** These settings with another way for batches to come. */
  public TrainSettings withFetch(Fetch fetch) {
    return withKnobs(knobs().withFetch(fetch));
  }

  /** These settings, for training in batches; null for the whole graph in every step. */
  public TrainSettings withBatches(@Nullable BatchSettings batches) {
    return with(b -> b.batches(batches));
  }

  /** These settings, with rows rounded to bfloat16 before they are gathered, or not. */
  public TrainSettings withHalfWidth(boolean value) {
    return with(b -> b.halfWidth(value));
  }

  private TrainSettings with(UnaryOperator<Builder> change) {
    return change.apply(from.copy()).build();
  }

  /** What decides the bits that come out, but for how long training lasts. */
  public Map<String, String> identity() {
    Map<String, String> identity = new LinkedHashMap<>();
    identity.put("seed", Long.toString(seed()));
    identity.put("optimizer", optimizer().toString());
    identity.put("rate", learningRate().toString());
    identity.put("weight-decay", Float.toString(weightDecay()));
    identity.put("momentum", Float.toString(momentum()));
    identity.put("clip-norm", Float.toString(clipNorm()));
    identity.put("half", Boolean.toString(halfWidth()));
    identity.put("cache", Boolean.toString(cacheConstants()));
    identity.putAll(knobs().identity());
    BatchSettings batches = batches();
    if (batches != null) {
      String aggregated = knobs().fetch().aggregatedInputs() ? " aggregated" : "";
      identity.put("batch", batches.identity() + aggregated);
    }
    return identity;
  }

  /** Settings that can be changed one by one; {@link #build} checks them. */
  public static final class Builder implements Cloneable {
    private int epochs = 200;
    private OptimizerKind optimizer = OptimizerKind.ADAM;
    private LearningRate learningRate = new LearningRate.Constant(0.01f);
    private float weightDecay;
    private float momentum = 0.9f;
    private float clipNorm;
    private int patience;
    private int evaluateEvery = 1;
    private @Nullable Metric metric;
    private long seed;
    private int threads = Runtime.getRuntime().availableProcessors();
    private boolean cacheConstants = true;
    private boolean halfWidth;
    private Knobs knobs = Knobs.DEFAULT;
    private long memoryLimit = Long.MAX_VALUE;
    private @Nullable Path scratch;
    private @Nullable BatchSettings batches;

    private Builder() {}

    /** All fields are values: a shallow copy is a copy. */
    private Builder copy() {
      try {
        return (Builder) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

    public Builder epochs(int value) {
      epochs = value;
      return this;
    }

    public Builder optimizer(OptimizerKind value) {
      optimizer = value;
      return this;
    }

    public Builder learningRate(float value) {
      return learningRate(new LearningRate.Constant(value));
    }

    public Builder learningRate(LearningRate value) {
      learningRate = value;
      return this;
    }

    public Builder weightDecay(float value) {
      weightDecay = value;
      return this;
    }

    public Builder momentum(float value) {
      momentum = value;
      return this;
    }

    public Builder clipNorm(float value) {
      clipNorm = value;
      return this;
    }

    public Builder patience(int value) {
      patience = value;
      return this;
    }

    public Builder evaluateEvery(int value) {
      evaluateEvery = value;
      return this;
    }

    public Builder metric(@Nullable Metric value) {
      metric = value;
      return this;
    }

    public Builder seed(long value) {
      seed = value;
      return this;
    }

    public Builder threads(int value) {
      threads = value;
      return this;
    }

    public Builder cacheConstants(boolean value) {
      cacheConstants = value;
      return this;
    }

    public Builder halfWidth(boolean value) {
      halfWidth = value;
      return this;
    }

    public Builder knobs(Knobs value) {
      knobs = value;
      return this;
    }

    public Builder memoryLimit(long bytes) {
      memoryLimit = bytes;
      return this;
    }

    /** A folder in whose files values and gradients lie; null for memory. */
    public Builder scratch(@Nullable Path folder) {
      scratch = folder;
      return this;
    }

    /** Trains in batches; null for the whole graph in every step. */
    public Builder batches(@Nullable BatchSettings value) {
      batches = value;
      return this;
    }

    /** The settings, or an exception that names the one at fault. */
    public TrainSettings build() {
      require(epochs >= 1, "epochs must be at least 1, not " + epochs);
      float first = learningRate.at(0);
      require(
          first > 0 && Float.isFinite(first), "the learning rate must be positive, not " + first);
      require(
          evaluateEvery >= SELDOM, "evaluate-every must not be negative, but is " + evaluateEvery);
      require(
          patience == 0 || evaluateEvery != 0,
          "patience waits for better scores, and evaluate-every 0 makes none");
      require(threads >= 1, "threads must be at least 1, not " + threads);
      require(
          threads <= ThreadTeam.MOST,
          "threads must be at most " + ThreadTeam.MOST + ", not " + threads);
      require(patience >= 0, "patience must not be negative, but is " + patience);
      require(
          weightDecay >= 0 && Float.isFinite(weightDecay),
          "weight decay must not be negative, but is " + weightDecay);
      require(momentum >= 0 && momentum < 1, "momentum must be in [0, 1), not " + momentum);
      require(
          clipNorm >= 0 && Float.isFinite(clipNorm),
          "clip norm must not be negative, but is " + clipNorm);
      return new TrainSettings(copy());
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalArgumentException(otherwise);
      }
    }
  }
}
