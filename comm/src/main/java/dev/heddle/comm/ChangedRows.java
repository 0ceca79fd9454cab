package dev.heddle.comm;

import dev.heddle.kernel.DeltaRows;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;

/** Rows by what changed since the last time, at a few bits an element. */
record ChangedRows(DeltaRows rows) implements RowCoder {
  @Override
  public void list(MemorySegment list, int first, int count, RowIds ids) {
    throw new IllegalStateException("both ends remember the rows of a list that does not change");
  }

  @Override
  public int count() {
    return rows.count();
  }

  @Override
  public long bytes(int width) {
    return rows.changes().bytes(width);
  }

  @Override
  public int liesFrom(int width) {
    return -1;
  }

  @Override
  public QuantisedRows rounded() {
    return rows.changes();
  }

  @Override
  public void encode(ThreadTeam team, Matrix source, MemorySegment target, long key) {
    rows.pack(team, source, target, key);
  }

  @Override
  public void decode(ThreadTeam team, MemorySegment source, Matrix target) {
    rows.unpack(team, source, target);
  }

  @Override
  public void decodeAdd(ThreadTeam team, MemorySegment source, Matrix target) {
    rows.add(team, source, target);
  }
}
