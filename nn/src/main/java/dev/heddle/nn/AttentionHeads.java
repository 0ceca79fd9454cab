package dev.heddle.nn;

import dev.heddle.kernel.Heads;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * The attention heads of a layer and how their results are joined.
 *
 * @param count how many
 * @param width columns of each
 * @param averaged whether their results are averaged, as in an output layer, or stand side by side
 * @param dropout rate at which attention weights are dropped
 */
public record AttentionHeads(int count, int width, boolean averaged, float dropout) {
  /** How columns divide among the heads. */
  Heads layout() {
    return new Heads(count, width);
  }

  /** Columns of all heads together. */
  int columns() {
    return count * width;
  }

  int outputColumns() {
    return averaged ? width : columns();
  }

  Value joined(Recorder r, Value attended) {
    return averaged && count > 1 ? r.meanOfHeads(attended, layout()) : attended;
  }
}
