package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.PackedRows;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;

/**
 * How rows look on the wire. Both ends ask for the size of a message before it travels, and must
 * get the same answer: what it depends on has to be agreed upon beforehand.
 */
public interface Codec {
  /** Rows as they are, without padding: width × 4 bytes each. */
  Codec FP32 = new Fp32();

  /** The most bytes that so many rows of a width can take. */
  long maxBytes(int rows, int width);

  /** The bytes that these rows take in their next message. */
  long bytes(PackedRows rows, int width);

  /** Whether bytes are the listed rows as they lie in a matrix, and can be received in place. */
  boolean liesAsItTravels(PackedRows rows, int width);

  /** Writes listed rows of a matrix as bytes. */
  void encode(Workers workers, Matrix source, PackedRows rows, MemorySegment target);

  /** Overwrites listed rows of a matrix by what bytes say. */
  void decode(Workers workers, MemorySegment source, PackedRows rows, Matrix target);

  /** Adds what bytes say to listed rows of a matrix. */
  void decodeAdd(Workers workers, MemorySegment source, PackedRows rows, Matrix target);
}
