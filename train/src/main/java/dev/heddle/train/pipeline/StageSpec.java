package dev.heddle.train.pipeline;

/**
 * A stage of a pipeline: what it does to each slot, in a thread of its own.
 *
 * @param stage what its work is in the timeline
 * @param lane of its thread, whose name is that of the stage in errors
 * @param capacity of the queue from which it takes slots; the first takes those that are free
 * @param ahead whether it may work on items of an epoch that has not begun, because nothing that it
 *     reads depends on the epoch before
 * @param <S> what it works on
 */
public record StageSpec<S>(Stage stage, Lane lane, int capacity, boolean ahead, Work<S> work) {
  /** What a stage does. */
  @FunctionalInterface
  public interface Work<S> {
    /** Works on an item of an epoch, which is in the slot, or is put there by the first stage. */
    void run(S slot, int epoch, int item);

    /** The last item of an epoch was just worked on. */
    default void endEpoch(int epoch) {}
  }

  /** The first stage of a pipeline, which fills free slots. */
  public static <S> StageSpec<S> first(Stage stage, Lane lane, Work<S> work) {
    return new StageSpec<>(stage, lane, Integer.MAX_VALUE, true, work);
  }

  /** Works on what is in a slot; returns the nanoseconds that it took. */
  long run(Slot<S> slot, int perEpoch) {
    lane.begin(stage, slot.epoch(), slot.item());
    work.run(slot.content(), slot.epoch(), slot.item());
    if (slot.item() == perEpoch - 1) {
      work.endEpoch(slot.epoch());
    }
    return lane.end();
  }
}
