package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PackedRows;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Rows without padding, and nothing else. */
final class Fp32Rows implements RowCoder {
  private final PackedRows rows;

  Fp32Rows(Memory memory, int[] list) {
    rows = PackedRows.of(memory, list);
  }

  @Override
  public void list(MemorySegment list, int first, int count, RowIds ids) {
    rows.list(list, first, count);
  }

  @Override
  public int count() {
    return rows.count();
  }

  @Override
  public long bytes(int width) {
    return rows.bytes(width);
  }

  @Override
  public int liesFrom(int width) {
    return rows.count() > 0 && rows.liesPacked(width) ? rows.row(0) : -1;
  }

  @Override
  public @Nullable QuantisedRows rounded() {
    return null;
  }

  @Override
  public void encode(ThreadTeam team, Matrix source, MemorySegment target, long key) {
    rows.pack(team, source, target);
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
