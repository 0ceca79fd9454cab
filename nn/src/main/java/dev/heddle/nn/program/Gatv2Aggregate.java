package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Gatv2Attention;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;

/**
 * Attention of Brody et al. (ICLR 2022) over a block: {@code sources × heads·width} and {@code
 * destinations × heads·width} to {@code destinations × heads·width}. Keeps a few scalars per vertex
 * and head, nothing per arc.
 */
final class Gatv2Aggregate implements Op {
  /** The rows scored against each other: of sources and of destinations, each used here alone. */
  record Sides(Value left, Value right) {}

  private final Sides sides;
  private final Value out;
  private final Block block;
  private final Gatv2Scores scores;
  private final int draw;
  private final AttentionSlots slots;

  Gatv2Aggregate(Sides sides, Hop hop, Gatv2Scores scores, int draw) {
    this.sides = sides;
    this.scores = scores;
    this.draw = draw;
    block = hop.block();
    out = Value.of(hop.destinations(), sides.left().cols());
    slots = new AttentionSlots(scores.heads(), hop);
  }

  @Override
  public List<Value> inputs() {
    return List.of(sides.left(), sides.right());
  }

  @Override
  public Value output() {
    return out;
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(scores.vector());
  }

  @Override
  public boolean random() {
    return scores.dropout() > 0;
  }

  @Override
  public boolean keepsInputs() {
    return true;
  }

  @Override
  public boolean keepsOutput() {
    return true;
  }

  @Override
  public List<Slot> kept() {
    return List.of(slots.state);
  }

  @Override
  public List<Slot> scratch() {
    return List.of(slots.scratch, slots.arcs);
  }

  @Override
  public void askOf(BlockBytes bytes) {
    bytes.arcTwins();
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Value left = sides.left();
    Value right = sides.right();
    if (out.needsGrad() && (left.addsGrad(this) || right.addsGrad(this))) {
      throw new IllegalStateException("rows scored by attention are used elsewhere too");
    }
    Gatv2Attention attention = Gatv2Attention.over(block.arcTwins(), slots.buffers());
    attention.rowIds(left.rows().ids());
    var operands = new Gatv2Attention.Operands(left.data(), right.data(), scores.vector().value());
    var gradients =
        out.needsGrad()
            ? new Gatv2Attention.Operands(left.grad(), right.grad(), scores.vector().grad())
            : operands;
    return new Pass() {
      @Override
      public void forward(Step step) {
        attention.dropout(
            step.training() ? scores.dropout() : 0, step.key(Draws.Domain.ATTENTION_DROPOUT, draw));
        attention.forward(team, operands, out.data());
      }

      @Override
      public void backward(Step step) {
        attention.backward(team, out.grad(), gradients, false);
      }
    };
  }
}
