package dev.heddle.train.pipeline;

import java.util.Locale;

/** What a thread of training does with its time. */
public enum Stage {
  /** An epoch of the training loop, from its beginning to its end; by itself, the loop alone. */
  EPOCH,
  /** Loading the batches of one round: {@link #SAMPLE}, then {@link #FETCH}. */
  LOAD,
  /** Drawing the neighbours of batches, those that other workers draw included. */
  SAMPLE,
  /** Getting the features of a round's vertices: from other workers, from files, from a cache. */
  FETCH,
  /** Gathering the input of one batch from what was fetched. */
  GATHER,
  /** Forward, loss and backward. */
  COMPUTE,
  /** Rows of the halo and their gradients: packing, unpacking, and waiting for those of others. */
  EXCHANGE,
  /** Sharing gradients of parameters, and waiting for those of others. */
  SHARE,
  /** Clipping, and the optimizer. */
  UPDATE,
  /** Choosing the widths at which rows travel. */
  ASSIGN,
  /** Exact scores and predictions, with the rows that travel for them. */
  EVALUATE,
  /** Writing a checkpoint. */
  CHECKPOINT,
  /** Handling a pipeline's queues and waiting at them; and whatever is outside of everything. */
  QUEUE;

  private static final Stage[] ALL = values();

  /** As summaries and traces call it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its place among all, which a run's workers agree on. */
  @SuppressWarnings("EnumOrdinal") // Kept nowhere: workers of a run have one version.
  int number() {
    return ordinal();
  }

  /** The one at a place. */
  static Stage numbered(int number) {
    return ALL[number];
  }
}
