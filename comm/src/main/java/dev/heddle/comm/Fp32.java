package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.PackedRows;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;

/** Rows without padding, and nothing else. */
final class Fp32 implements Codec {
  @Override
  public long maxBytes(int rows, int width) {
    return (long) rows * width * Float.BYTES;
  }

  @Override
  public long bytes(PackedRows rows, int width) {
    return rows.bytes(width);
  }

  @Override
  public boolean liesAsItTravels(PackedRows rows, int width) {
    return rows.liesPacked(width);
  }

  @Override
  public void encode(Workers workers, Matrix source, PackedRows rows, MemorySegment target) {
    rows.pack(workers, source, target);
  }

  @Override
  public void decode(Workers workers, MemorySegment source, PackedRows rows, Matrix target) {
    rows.unpack(workers, source, target);
  }

  @Override
  public void decodeAdd(Workers workers, MemorySegment source, PackedRows rows, Matrix target) {
    rows.add(workers, source, target);
  }
}
