package dev.heddle.nn;

/**
 * What a model looks like, without its data: architecture, depth, widths and rates.
 *
 * <p>{@code ModelSpec.of(ModelKind.GCN).hidden(64).dropout(0.5f).build()}; what is not said has the
 * default of the architecture's paper where it has one.
 */
public final class ModelSpec {
  private final Builder from;

  private ModelSpec(Builder from) {
    this.from = from;
  }

  public static Builder of(ModelKind kind) {
    return new Builder(kind);
  }

  /** A network of the user's own, to which the settings below do not apply. */
  public static ModelSpec of(CustomNetwork network) {
    return new ModelSpec(new Builder(network));
  }

  public Architecture kind() {
    return from.kind;
  }

  /** Convolutions; hops of smoothing for SGC; linear maps for MLP and APPNP. */
  public int layers() {
    return from.layers;
  }

  /** How many hops of message passing it takes. */
  public int hops() {
    return switch (kind()) {
      case CustomNetwork network -> network.hops();
      case ModelKind kind ->
          switch (kind) {
            case MLP -> 0;
            case APPNP -> propagations();
            case GCN, SAGE, SAGE_POOL, GAT, GATV2, GIN, GCNII, RESGCN, SGC -> layers();
          };
    };
  }

  /** Columns of hidden layers; those of all heads together for attention. */
  public int hidden() {
    return from.hidden;
  }

  /** Attention heads of hidden layers. */
  public int heads() {
    return from.heads;
  }

  /** Attention heads of the output layer; their results are averaged. */
  public int outputHeads() {
    return from.outputHeads;
  }

  /** Share of hidden values dropped in training. */
  public float dropout() {
    return from.dropout;
  }

  /** Share of input features dropped in training. */
  public float inputDropout() {
    return from.inputDropout;
  }

  /** Share of attention weights dropped in training. */
  public float attentionDropout() {
    return from.attentionDropout;
  }

  public NormKind norm() {
    return from.norm;
  }

  /** Whether convolutions add a linear map of a vertex's own row; GCN to GIN only. */
  public boolean residual() {
    return from.residual;
  }

  /** Weight of the initial representation (GCNII) or of the teleport (APPNP). */
  public float alpha() {
    return from.alpha;
  }

  /** Decay of the identity mapping with depth (GCNII). */
  public float lambda() {
    return from.lambda;
  }

  /** Weight of a vertex's own row beside its neighbours' (GIN). */
  public float epsilon() {
    return from.epsilon;
  }

  /** Steps of propagation (APPNP). */
  public int propagations() {
    return from.propagations;
  }

  /** Whether weight decay is for the first layer alone, as Kipf & Welling have it. */
  public boolean decayFirstLayerOnly() {
    return from.decayFirstLayerOnly;
  }

  /** Beyond these a model is a mistake, and sizes that are made of them would not fit an int. */
  private static final int MOST_LAYERS = 10_000;

  private static final int MOST_COLUMNS = 1 << 20;
  private static final int MOST_HEADS = 1 << 10;

  /** Settings that can be changed one by one; {@link #build} checks them. */
  public static final class Builder {
    private final Architecture kind;
    private int layers = 2;
    private int hidden = 64;
    private int heads = 8;
    private int outputHeads = 1;
    private float dropout = 0.5f;
    private float inputDropout;
    private float attentionDropout;
    private NormKind norm = NormKind.NONE;
    private boolean residual;
    private float alpha = 0.1f;
    private float lambda = 0.5f;
    private float epsilon;
    private int propagations = 10;
    private boolean decayFirstLayerOnly;

    private Builder(Architecture kind) {
      this.kind = kind;
    }

    public Builder layers(int value) {
      layers = value;
      return this;
    }

    public Builder hidden(int value) {
      hidden = value;
      return this;
    }

    public Builder heads(int value) {
      heads = value;
      return this;
    }

    public Builder outputHeads(int value) {
      outputHeads = value;
      return this;
    }

    public Builder dropout(float value) {
      dropout = value;
      return this;
    }

    public Builder inputDropout(float value) {
      inputDropout = value;
      return this;
    }

    public Builder attentionDropout(float value) {
      attentionDropout = value;
      return this;
    }

    public Builder norm(NormKind value) {
      norm = value;
      return this;
    }

    public Builder residual(boolean value) {
      residual = value;
      return this;
    }

    public Builder alpha(float value) {
      alpha = value;
      return this;
    }

    public Builder lambda(float value) {
      lambda = value;
      return this;
    }

    public Builder epsilon(float value) {
      epsilon = value;
      return this;
    }

    public Builder propagations(int value) {
      propagations = value;
      return this;
    }

    public Builder decayFirstLayerOnly(boolean value) {
      decayFirstLayerOnly = value;
      return this;
    }

    /** The model described, or an exception that names the setting at fault. */
    public ModelSpec build() {
      requireAtLeast("layers", layers, 1);
      requireAtLeast("hidden", hidden, 1);
      requireAtLeast("heads", heads, 1);
      requireAtLeast("output heads", outputHeads, 1);
      requireAtLeast("propagations", propagations, 1);
      requireAtMost("layers", layers, MOST_LAYERS);
      requireAtMost("hidden", hidden, MOST_COLUMNS);
      requireAtMost("heads", heads, MOST_HEADS);
      requireAtMost("output heads", outputHeads, MOST_HEADS);
      requireAtMost("propagations", propagations, MOST_LAYERS);
      requireRate("dropout", dropout);
      requireRate("input dropout", inputDropout);
      requireRate("attention dropout", attentionDropout);
      requireRate("alpha", alpha);
      if (kind.attention() && layers > 1 && hidden % heads != 0) {
        throw new IllegalArgumentException(
            "hidden must be a multiple of heads, but is " + hidden + " for " + heads + " heads");
      }
      if (residual && !(kind instanceof ModelKind known && known.stacked())) {
        throw new IllegalArgumentException(
            kind + " has its own way through depth: residual is for gcn, sage, gat and the like");
      }
      if (!(lambda > 0)) {
        throw new IllegalArgumentException("lambda must be positive, not " + lambda);
      }
      return new ModelSpec(this);
    }

    private static void requireAtLeast(String name, int value, int least) {
      if (value < least) {
        throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
      }
    }

    private static void requireAtMost(String name, int value, int most) {
      if (value > most) {
        throw new IllegalArgumentException(name + " must be at most " + most + ", not " + value);
      }
    }

    private static void requireRate(String name, float value) {
      if (!(value >= 0 && value < 1)) {
        throw new IllegalArgumentException(name + " must be in [0, 1), not " + value);
      }
    }
  }
}
