package dev.heddle.nn.program;

import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.AttentionBuffers;
import dev.heddle.kernel.Heads;
import dev.heddle.kernel.Matrix;

/** The memory an attention operation works in. */
final class AttentionSlots {
  private final Heads heads;
  private final Rows destinations;
  final Slot state;
  final Slot scratch;
  final Slot arcs;

  AttentionSlots(Heads heads, Hop hop) {
    this.heads = heads;
    this.destinations = hop.destinations();
    state = new Slot(Matrix.bytes(destinations.capacity(), AttentionBuffers.stateColumns(heads)));
    scratch = new Slot(Matrix.bytes(ArcTasks.MAX_SEGMENTS, AttentionBuffers.scratchColumns(heads)));
    arcs = new Slot(AttentionBuffers.arcBytes(heads, hop.block().capacity().arcs()));
  }

  AttentionBuffers buffers() {
    return AttentionBuffers.over(
        heads,
        Matrix.over(state.memory(), destinations.capacity(), AttentionBuffers.stateColumns(heads)),
        Matrix.over(
            scratch.memory(), ArcTasks.MAX_SEGMENTS, AttentionBuffers.scratchColumns(heads)),
        arcs.memory());
  }
}
