package dev.heddle.nn.program;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.ValueDropout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/** Dropout of the stored values of sparse features: the zeros are dropped already. */
final class SparseInputDropout implements Op {
  private final Value x;
  private final float rate;
  private final int draw;
  private final Value out;

  SparseInputDropout(Value x, float rate, int draw) {
    this.x = x;
    this.rate = rate;
    this.draw = draw;
    out = Value.sparse(x.rows(), features());
  }

  private SparseFeatures features() {
    return Objects.requireNonNull(x.sparse());
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
  public boolean random() {
    return true;
  }

  @Override
  public long ownBytes() {
    return 4 * (features().byRow().arcCapacity() + features().byColumn().arcCapacity());
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Csr byRow = features().byRow();
    Csr byColumn = features().byColumn();
    MemorySegment rowValues = memory.allocateFloats(byRow.arcCapacity());
    MemorySegment columnValues = memory.allocateFloats(byColumn.arcCapacity());
    ValueDropout rows = ValueDropout.of(byRow, rowValues, false).rowIds(x.rows().ids());
    ValueDropout columns = ValueDropout.of(byColumn, columnValues, true).rowIds(x.rows().ids());
    Csr droppedRows = byRow.withWeights(rowValues);
    Csr droppedColumns = byColumn.withWeights(columnValues);
    out.replaceSparse(new SparseFeatures(droppedRows, droppedColumns));
    return new Pass() {
      @Override
      public void forward(Step step) {
        droppedRows.follow(byRow);
        droppedColumns.follow(byColumn);
        float now = step.training() ? rate : 0;
        long key = step.key(Draws.Domain.INPUT_DROPOUT, draw);
        rows.run(team, now, key);
        if (step.training()) {
          columns.run(team, now, key);
        }
      }

      @Override
      public void backward(Step step) {
        throw new IllegalStateException("features have no gradient");
      }
    };
  }
}
