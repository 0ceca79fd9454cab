package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A list of rows of a matrix as a codec has them travel. Both ends ask for the size of a message
 * before it travels, and must get the same answer: what it depends on is agreed upon beforehand.
 */
public sealed interface RowCoder permits Fp32Rows, RoundedRows, ChangedRows {
  /**
   * Takes another list.
   *
   * @param rows ints, which must stay while they are listed
   * @param first the index of the first of them
   * @param ids what draws are keyed by
   */
  void list(MemorySegment rows, int first, int count, RowIds ids);

  /** How many there are. */
  int count();

  /** The bytes that they take in their next message. */
  long bytes(int width);

  /**
   * The first row of the matrix where bytes are the rows as they lie there, and can be received in
   * place; negative where they are not.
   */
  int liesFrom(int width);

  /** How rows are rounded; null where they travel as they are. */
  @Nullable QuantisedRows rounded();

  /** Writes the rows as bytes; draws, if it draws, by a key. */
  void encode(ThreadTeam team, Matrix source, MemorySegment target, long key);

  /** Overwrites the rows by what bytes say; of each message once, as also {@link #decodeAdd}. */
  void decode(ThreadTeam team, MemorySegment source, Matrix target);

  /** Adds what bytes say to the rows. */
  void decodeAdd(ThreadTeam team, MemorySegment source, Matrix target);
}
