package dev.heddle.train.pipeline;

/**
 * A preallocated place of a pipeline, which goes from stage to stage and round again, with the item
 * that it holds. Whoever took it from a queue has it alone.
 *
 * @param <S> what stages work on
 */
final class Slot<S> {
  private final S content;
  private int epoch;
  private int item;

  Slot(S content) {
    this.content = content;
  }

  /** Is for another item from now on. */
  void becomes(int nextEpoch, int nextItem) {
    epoch = nextEpoch;
    item = nextItem;
  }

  S content() {
    return content;
  }

  int epoch() {
    return epoch;
  }

  int item() {
    return item;
  }
}
