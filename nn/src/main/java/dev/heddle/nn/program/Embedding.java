package dev.heddle.nn.program;

import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import java.util.List;

/** Rows that are themselves learnt, one per vertex: the input of a graph without features. */
final class Embedding implements Op {
  private final Parameter rows;
  private final Value out;

  Embedding(Rows vertices, Parameter rows) {
    this.rows = rows;
    out = Value.of(vertices, rows.value().cols());
  }

  @Override
  public List<Value> inputs() {
    return List.of();
  }

  @Override
  public Value output() {
    return out;
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(rows);
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Combine copy = new Combine();
    return new Pass() {
      @Override
      public void forward(Step step) {
        copy.scale(team, out.rows().count(), 1, rows.value(), out.data(), false);
      }

      @Override
      public void backward(Step step) {
        copy.scale(team, out.rows().count(), 1, out.grad(), rows.grad(), true);
      }
    };
  }
}
