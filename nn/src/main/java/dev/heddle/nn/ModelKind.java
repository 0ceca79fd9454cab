package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import org.jspecify.annotations.Nullable;

/** The architectures that can be trained, by the name users write. */
public enum ModelKind implements Architecture {
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

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean selfLoops() {
    return selfLoops;
  }

  @Override
  public @Nullable Normalisation aggregation() {
    return switch (this) {
      case GCN, GCNII, SGC, APPNP -> Normalisation.SYMMETRIC;
      case SAGE, RESGCN -> Normalisation.MEAN;
      case GIN -> Normalisation.SUM;
      case SAGE_POOL, GAT, GATV2, MLP -> null;
    };
  }

  @Override
  public boolean aggregatesFeatures() {
    return switch (this) {
      case GCN, SAGE, GIN, SGC -> true;
      case SAGE_POOL, GAT, GATV2, GCNII, RESGCN, APPNP, MLP -> false;
    };
  }

  @Override
  public boolean attention() {
    return this == GAT || this == GATV2;
  }

  @Override
  public boolean takesLargest() {
    return this == SAGE_POOL;
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
