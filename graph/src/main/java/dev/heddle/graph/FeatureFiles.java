package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The features in a folder: dense in {@code features.npy}, or sparse rows in {@code
 * feat_indptr.npy}, {@code feat_indices.npy} and {@code feat_data.npy}.
 */
final class FeatureFiles {
  private FeatureFiles() {}

  /** The folder's features, or null if it has none. */
  static @Nullable Features read(Path folder, Memory memory, boolean rowNormalise) {
    Path dense = folder.resolve("features.npy");
    Path offsets = folder.resolve("feat_indptr.npy");
    Path columns = folder.resolve("feat_indices.npy");
    Path values = folder.resolve("feat_data.npy");
    boolean sparse = Files.exists(offsets) || Files.exists(columns) || Files.exists(values);
    if (Files.exists(dense) && sparse) {
      throw new GraphFormatException(folder, "both dense features.npy and sparse feat_*.npy");
    }
    try (Arena arena = Arena.ofConfined()) {
      if (Files.exists(dense)) {
        DenseFeatures features = new DenseFeatures(dense(Npy.map(dense, arena), memory));
        if (rowNormalise) {
          features.normaliseRows();
        }
        return features;
      }
      if (!sparse) {
        return null;
      }
      Csr rows = rows(Npy.map(offsets, arena), Npy.map(columns, arena), memory);
      rows = rows.withWeights(values(Npy.map(values, arena), rows.arcs(), memory));
      if (!ascending(rows)) {
        rows = Transpose.of(memory, Transpose.of(memory, rows));
      }
      if (rowNormalise) {
        SparseFeatures.normaliseRows(rows);
      }
      return SparseFeatures.of(memory, rows);
    }
  }

  /** A matrix of finite numbers. */
  static Matrix dense(Npy npy, Memory memory) {
    npy.requireDimensions(2);
    if (npy.size(1) == 0) {
      throw npy.fault("no columns");
    }
    Matrix matrix = Matrix.allocate(memory, npy.intSize(0), npy.intSize(1));
    for (int row = 0; row < matrix.rows(); row++) {
      npy.copyRow(row, matrix);
      for (int col = 0; col < matrix.cols(); col++) {
        if (!Float.isFinite(matrix.get(row, col))) {
          throw npy.fault("row " + row + ", column " + col + " is " + matrix.get(row, col));
        }
      }
    }
    return matrix;
  }

  /** Rows as they stand in the files, whose columns need not ascend; without values yet. */
  private static Csr rows(Npy offsets, Npy columns, Memory memory) {
    offsets.requireDimensions(1);
    columns.requireDimensions(1);
    int rows = offsets.intSize(0) - 1;
    if (rows < 0 || offsets.longAt(0) != 0) {
      throw offsets.fault("does not begin with 0");
    }
    MemorySegment ends = memory.allocateLongs(rows + 1L);
    for (int row = 0; row < rows; row++) {
      long end = offsets.longAt(row + 1L);
      if (end < offsets.longAt(row)) {
        throw offsets.fault("row " + row + " ends before it begins");
      }
      ends.setAtIndex(JAVA_LONG, row + 1L, end);
    }
    long count = offsets.longAt(rows);
    if (columns.size() != count) {
      throw columns.fault(columns.size() + " columns, but feat_indptr.npy ends with " + count);
    }
    MemorySegment ids = memory.allocateInts(count);
    int width = 1;
    for (long i = 0; i < count; i++) {
      long column = columns.longAt(i);
      if (column < 0 || column >= Integer.MAX_VALUE) {
        throw columns.fault("value " + i + " is " + column + ", which is not a column");
      }
      ids.setAtIndex(JAVA_INT, i, (int) column);
      width = Math.max(width, (int) column + 1);
    }
    return Csr.of(rows, width, ends, ids);
  }

  private static boolean ascending(Csr rows) {
    for (int row = 0; row < rows.rows(); row++) {
      long end = rows.offset(row + 1);
      for (long i = rows.offset(row) + 1; i < end; i++) {
        if (rows.id(i) < rows.id(i - 1)) {
          return false;
        }
      }
    }
    return true;
  }

  private static MemorySegment values(Npy npy, long count, Memory memory) {
    npy.requireDimensions(1);
    if (npy.size() != count) {
      throw npy.fault(npy.size() + " values for " + count + " columns in feat_indices.npy");
    }
    MemorySegment values = memory.allocateFloats(count);
    for (long i = 0; i < count; i++) {
      float value = npy.floatAt(i);
      if (!Float.isFinite(value)) {
        throw npy.fault("value " + i + " is " + value);
      }
      values.setAtIndex(JAVA_FLOAT, i, value);
    }
    return values;
  }
}
