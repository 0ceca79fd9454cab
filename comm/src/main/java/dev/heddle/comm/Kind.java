package dev.heddle.comm;

/** What a message carries; all traffic is counted by it. */
public enum Kind {
  /** Rows of neighbours that other workers own, and their gradients, while training. */
  HALO(0),
  /** Input features. */
  FEATURE(1),
  /** Sampled neighbourhoods. */
  SAMPLE(2),
  /** Gradients of parameters, and parameters. */
  GRADIENT(3),
  /** Activations that cross from one stage of a pipeline to the next. */
  BOUNDARY(4),
  /** Everything small: metrics, barriers, agreements. */
  CONTROL(5),
  /** Which vertices' features are wanted. */
  FEATURE_REQUEST(6),
  /** Which vertices' neighbourhoods are wanted. */
  SAMPLE_REQUEST(7),
  /** Rows of neighbours for evaluations, which no codec of training makes smaller. */
  EVALUATION(8);

  private final int number;

  Kind(int number) {
    this.number = number;
  }

  /** Whether such messages are for batches to come: others, which are waited for, go first. */
  boolean isAhead() {
    return switch (this) {
      case FEATURE, SAMPLE, FEATURE_REQUEST, SAMPLE_REQUEST -> true;
      case HALO, GRADIENT, BOUNDARY, CONTROL, EVALUATION -> false;
    };
  }

  /** Stands for the kind on the wire. */
  int number() {
    return number;
  }
}
