package dev.heddle.nn.program;

import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation on values as it was recorded: what it reads and writes, and for how long. With its
 * memory in place it becomes a {@link Pass}.
 */
interface Op {
  /** Values read, in forward. */
  List<Value> inputs();

  Value output();

  default List<Parameter> parameters() {
    return List.of();
  }

  /** Whether the output differs from step to step even if the inputs do not. */
  default boolean random() {
    return false;
  }

  /** Whether backward reads the inputs' data, that of one which is overwritten aside. */
  default boolean keepsInputs() {
    return false;
  }

  /** Whether backward reads the output's data. */
  default boolean keepsOutput() {
    return false;
  }

  /**
   * Whether backward is done with the first input's data before it writes that input's gradient,
   * which may then take the data's place.
   */
  default boolean gradReplacesInput() {
    return false;
  }

  /**
   * Whether forward can run once more and writes the same bits again, into the output and what is
   * {@link #kept} alone: an operation element by element, or row by row, whose draws are keyed.
   */
  default boolean replays() {
    return false;
  }

  /** Memory of this operation's own that must last from its forward to its backward. */
  default List<Slot> kept() {
    return List.of();
  }

  /** Memory of this operation's own that is free again after each of its runs. */
  default List<Slot> scratch() {
    return List.of();
  }

  /**
   * Whether forward sends rows on their way, for which {@link Pass#arrive} waits. It goes by no
   * rows.
   */
  default boolean endsPhase() {
    return false;
  }

  /**
   * Rows over which forward can run some at a time, reading no others of what has these rows; null
   * where it cannot.
   */
  default @Nullable Rows forwardRows() {
    return null;
  }

  /**
   * The same of backward. What else it does comes before all rows, and reads no gradient that has
   * these rows.
   */
  default @Nullable Rows backwardRows() {
    return null;
  }

  /** Bytes of memory that {@link #prepare} takes, besides what is planned. */
  default long ownBytes() {
    return 0;
  }

  /** Asks of a block what {@link #prepare} will ask of the one whose arcs are followed. */
  default void askOf(BlockBytes block) {}

  /** Columns of every sum over the rows of all workers in a step of training. */
  default List<Integer> totals() {
    return List.of();
  }

  /**
   * Called once, when all memory is placed: makes whatever runs need, so that they allocate
   * nothing.
   */
  Pass prepare(ThreadTeam team, Memory memory);
}
