package dev.heddle.train.batch;

import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;

/** Rows as they travel, next to each other in memory that grows. */
final class PackedRows {
  private static final int ROWS = 512;

  private final ThreadTeam team;
  private final GrowingBuffer bytes;
  private final RowForm form;
  private final long width;
  private final Task packTask = this::pack;
  private final Task unpackTask = this::unpack;

  private Matrix matrix;
  private RowIds chosen = new RowIds(MemorySegment.NULL);
  private int first;
  private int count;

  PackedRows(RowForm form, int cols, ThreadTeam team, Memory memory) {
    this.team = team;
    bytes = new GrowingBuffer(memory);
    this.form = form;
    width = form.bytes(cols);
    matrix = Matrix.over(MemorySegment.NULL, 0, cols);
  }

  /** Bytes of so many rows. */
  long bytes(int rows) {
    return rows * width;
  }

  /** Memory for so many rows. */
  MemorySegment require(int rows) {
    bytes.require(bytes(rows));
    return bytes.segment();
  }

  /**
   * Writes chosen rows of a matrix, from {@code begin} to {@code end} (exclusive) of the list,
   * where memory was {@linkplain #require required} for all.
   */
  void pack(Matrix from, RowIds rows, int begin, int end) {
    matrix = from;
    chosen = rows;
    first = begin;
    count = end - begin;
    team.run((count + ROWS - 1) / ROWS, packTask);
  }

  private void pack(int block) {
    int begin = first + block * ROWS;
    for (int i = begin, end = Math.min(first + count, begin + ROWS); i < end; i++) {
      form.write(matrix, chosen.at(i), bytes.segment(), i * width);
    }
  }

  /** Reads the rows that are here into rows of a matrix from one on. */
  void unpack(Matrix into, int from, int number) {
    matrix = into;
    first = from;
    count = number;
    team.run((number + ROWS - 1) / ROWS, unpackTask);
  }

  private void unpack(int block) {
    for (int i = block * ROWS, end = Math.min(count, i + ROWS); i < end; i++) {
      form.read(bytes.segment(), i * width, matrix, first + i);
    }
  }

  long bytes() {
    return bytes.bytes();
  }
}
