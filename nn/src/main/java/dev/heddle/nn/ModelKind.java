package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import org.jspecify.annotations.Nullable;

/** The architectures that can be trained, by the name users write. */
public enum ModelKind {
  GCN("gcn", true),
  SAGE("sage", false),
  SAGE_POOL("sage-pool", false),
  GAT("gat", true),
  GATV2("gatv2", true),
  GIN("gin", false),
  GCNII("gcnii", true),
  RESGCN("resgcn", false),
  SGC("sgc", true),
  APPNP("appnp", true),
  MLP("mlp", false);

  private final String label;
  private final boolean selfLoops;

  ModelKind(String label, boolean selfLoops) {
    this.label = label;
    this.selfLoops = selfLoops;
  }

  /** The name users write. */
  public String label() {
    return label;
  }

  /** Whether a vertex aggregates itself through an arc of its own. */
  public boolean selfLoops() {
    return selfLoops;
  }

  /** How its layers sum the rows of sources; null where they do not, or by learnt weights. */
  public @Nullable Normalisation aggregation() {
    return switch (this) {
      case GCN, GCNII, SGC, APPNP -> Normalisation.SYMMETRIC;
      case SAGE, RESGCN -> Normalisation.MEAN;
      case GIN -> Normalisation.SUM;
      case SAGE_POOL, GAT, GATV2, MLP -> null;
    };
  }

  /**
   * Whether the first thing it does with features is to aggregate them: that takes no parameter, so
   * that it can be done before, once or for each batch.
   */
  public boolean aggregatesFeatures() {
    return switch (this) {
      case GCN, SAGE, GIN, SGC -> true;
      case SAGE_POOL, GAT, GATV2, GCNII, RESGCN, APPNP, MLP -> false;
    };
  }

  /** Whether it attends to arcs with learnt weights. */
  public boolean attention() {
    return this == GAT || this == GATV2;
  }

  /** Whether it is convolutions one after another and nothing else. */
  public boolean stacked() {
    return switch (this) {
      case GCN, SAGE, SAGE_POOL, GAT, GATV2, GIN -> true;
      case GCNII, RESGCN, SGC, APPNP, MLP -> false;
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
