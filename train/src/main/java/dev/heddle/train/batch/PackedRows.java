package dev.heddle.train.batch;

import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;

/** Rows without padding, as they travel, in memory that grows. */
final class PackedRows implements AutoCloseable {
  private static final int ROWS = 512;

  private final Workers workers;
  private final GrowingBuffer bytes;
  private final long width;
  private final Task packTask = this::pack;
  private final Task unpackTask = this::unpack;

  private Matrix matrix;
  private RowIds chosen = new RowIds(MemorySegment.NULL);
  private int first;
  private int count;

  PackedRows(int cols, NeighbourSampler.Place place) {
    workers = place.workers();
    bytes = new GrowingBuffer(place.memory());
    width = (long) cols * Float.BYTES;
    matrix = Matrix.over(MemorySegment.NULL, 0, cols);
  }

  /** Memory for so many rows. */
  MemorySegment require(int rows) {
    bytes.require(rows * width);
    return bytes.segment();
  }

  /** Copies chosen rows of a matrix next to each other. */
  MemorySegment pack(Matrix from, RowIds rows, int number) {
    MemorySegment packed = require(number);
    matrix = from;
    chosen = rows;
    count = number;
    workers.run((number + ROWS - 1) / ROWS, packTask);
    return packed;
  }

  private void pack(int block) {
    for (int i = block * ROWS, end = Math.min(count, i + ROWS); i < end; i++) {
      MemorySegment.copy(
          matrix.data(), matrix.offset(chosen.at(i)), bytes.segment(), i * width, width);
    }
  }

  /** Copies the rows that are here into rows of a matrix from one on. */
  void unpack(Matrix into, int from, int number) {
    matrix = into;
    first = from;
    count = number;
    workers.run((number + ROWS - 1) / ROWS, unpackTask);
  }

  private void unpack(int block) {
    for (int i = block * ROWS, end = Math.min(count, i + ROWS); i < end; i++) {
      MemorySegment.copy(
          bytes.segment(), i * width, matrix.data(), matrix.offset(first + i), width);
    }
  }

  long bytes() {
    return bytes.bytes();
  }

  @Override
  public void close() {
    bytes.close();
  }
}
