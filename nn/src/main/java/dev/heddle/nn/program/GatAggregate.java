package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.BlockBytes;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.GatAttention;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;

/**
 * Attention of Veličković et al. (ICLR 2018) over a block: {@code sources × heads·width} to {@code
 * destinations × heads·width}. Keeps a few scalars per vertex and head from forward to backward,
 * nothing per arc.
 */
final class GatAggregate implements Op {
  private final Value x;
  private final Value out;
  private final Block block;
  private final GatScores scores;
  private final int draw;
  private final AttentionSlots slots;
  private final Slot sourceScores;

  GatAggregate(Value x, Hop hop, GatScores scores, int draw) {
    this.x = x;
    this.scores = scores;
    this.draw = draw;
    block = hop.block();
    out = Value.of(hop.destinations(), x.cols());
    slots = new AttentionSlots(scores.heads(), hop);
    sourceScores = new Slot(Matrix.bytes(x.rows().capacity(), scores.heads().count()));
  }

  @Override
  public List<Value> inputs() {
    return List.of(x);
  }

  @Override
  public Value output() {
    return out;
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(scores.source(), scores.destination());
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
    return List.of(slots.state, sourceScores);
  }

  @Override
  public List<Slot> scratch() {
    return List.of(slots.scratch, slots.arcs);
  }

  @Override
  public long ownBytes() {
    boolean gradientOfItsOwn = out.needsGrad() && !x.needsGrad();
    return gradientOfItsOwn ? Matrix.bytes(x.rows().capacity(), x.cols()) : 0;
  }

  @Override
  public void askOf(BlockBytes bytes) {
    bytes.arcTwins();
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Matrix perSource =
        Matrix.over(sourceScores.memory(), x.rows().capacity(), scores.heads().count());
    GatAttention attention = GatAttention.over(block.arcTwins(), slots.buffers(), perSource);
    attention.rowIds(x.rows().ids());
    var operands =
        new GatAttention.Operands(
            x.data(), x.data(), scores.source().value(), scores.destination().value());
    // The rows' gradient has a place only where somebody asks for it.
    Matrix rowsGrad =
        x.needsGrad()
            ? x.grad()
            : out.needsGrad() ? Matrix.allocate(memory, x.rows().capacity(), x.cols()) : x.data();
    var gradients =
        new GatAttention.Operands(
            rowsGrad, rowsGrad, scores.source().grad(), scores.destination().grad());
    return new Pass() {
      @Override
      public void forward(Step step) {
        attention.dropout(
            step.training() ? scores.dropout() : 0, step.key(Draws.Domain.ATTENTION_DROPOUT, draw));
        attention.forward(team, operands, out.data());
      }

      @Override
      public void backward(Step step) {
        boolean add = x.needsGrad() && x.addsGrad(GatAggregate.this);
        attention.backward(team, out.grad(), gradients, add);
      }
    };
  }
}
