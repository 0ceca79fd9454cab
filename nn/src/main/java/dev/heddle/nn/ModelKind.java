package dev.heddle.nn;

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
