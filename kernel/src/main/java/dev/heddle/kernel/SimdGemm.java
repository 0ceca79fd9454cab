package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Dense products by the Vector API, for where oneDNN is not: tiles of 4 rows × 2 vectors in
 * registers (6 rows spill and are slower).
 *
 * <p>One loop serves both products: a transposed A swaps the steps along its rows and columns.
 */
final class SimdGemm implements GemmKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  /** Length of inner products taken at once: that many rows of B stay in the caches. */
  private static final int DEPTH = 256;

  @Override
  public void multiply(int rows, Matrix a, int aRow, Matrix b, Matrix c, int cRow, boolean add) {
    long stride = strideBytes(b.cols());
    int k = a.cols();
    for (int l = 0; l < k; l += DEPTH) {
      block(
          a.data(),
          a.offset(aRow) + 4L * l,
          strideBytes(k),
          Float.BYTES,
          b.data(),
          l * stride,
          stride,
          c.data(),
          c.offset(cRow),
          rows,
          Simd.vectors(c.cols()),
          Math.min(DEPTH, k - l),
          add || l > 0);
    }
  }

  @Override
  public void transposeMultiply(
      int rows, Matrix a, int aRow, Matrix b, int bRow, Matrix c, boolean add) {
    for (int l = 0; l < rows; l += DEPTH) {
      block(
          a.data(),
          a.offset(aRow + l),
          Float.BYTES,
          strideBytes(a.cols()),
          b.data(),
          b.offset(bRow + l),
          strideBytes(c.cols()),
          c.data(),
          0,
          c.rows(),
          Simd.vectors(c.cols()),
          Math.min(DEPTH, rows - l),
          add || l > 0);
    }
  }

  /**
   * C (+)= A · B for a block: element (i, l) of A is at {@code aAt + i · aRow + l · aStep}; B and C
   * have the same stride. One of A's strides is that of a float.
   */
  private static void block(
      MemorySegment a,
      long aAt,
      long aRow,
      long aStep,
      MemorySegment b,
      long bAt,
      long stride,
      MemorySegment c,
      long cAt,
      int rows,
      int vectors,
      int depth,
      boolean add) {
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
      long ai = aAt + i * aRow;
      long ci = cAt + i * stride;
      int v = 0;
      for (; v + 2 <= vectors; v += 2) {
        if (aStep == Float.BYTES) {
          rowTile4x2(a, ai, aRow, b, bAt + v * V, stride, c, ci + v * V, depth, add);
        } else {
          columnTile4x2(a, ai, aStep, b, bAt + v * V, stride, c, ci + v * V, depth, add);
        }
      }
      if (v < vectors) {
        tile4x1(a, ai, aRow, aStep, b, bAt + v * V, stride, c, ci + v * V, depth, add);
      }
    }
    for (; i < rows; i++) {
      for (int v = 0; v < vectors; v++) {
        tile1x1(
            a,
            aAt + i * aRow,
            aStep,
            b,
            bAt + v * V,
            stride,
            c,
            cAt + i * stride + v * V,
            depth,
            add);
      }
    }
  }

  /** A read along its rows: a constant step, which lets the compiler drop the bounds checks. */
  private static void rowTile4x2(
      MemorySegment a,
      long aAt,
      long aRow,
      MemorySegment b,
      long bAt,
      long stride,
      MemorySegment c,
      long cAt,
      int depth,
      boolean add) {
    FloatVector c00 = FloatVector.zero(F);
    FloatVector c01 = c00;
    FloatVector c10 = c00;
    FloatVector c11 = c00;
    FloatVector c20 = c00;
    FloatVector c21 = c00;
    FloatVector c30 = c00;
    FloatVector c31 = c00;
    for (int l = 0; l < depth; l++) {
      FloatVector b0 = FloatVector.fromMemorySegment(F, b, bAt + l * stride, LE);
      FloatVector b1 = FloatVector.fromMemorySegment(F, b, bAt + l * stride + V, LE);
      long at = aAt + 4L * l;
      FloatVector x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at));
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + aRow));
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 2 * aRow));
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 3 * aRow));
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
    }
    put(c00, c, cAt, add);
    put(c01, c, cAt + V, add);
    put(c10, c, cAt + stride, add);
    put(c11, c, cAt + stride + V, add);
    put(c20, c, cAt + 2 * stride, add);
    put(c21, c, cAt + 2 * stride + V, add);
    put(c30, c, cAt + 3 * stride, add);
    put(c31, c, cAt + 3 * stride + V, add);
  }

  /** A read down its columns, four neighbours at a time. */
  private static void columnTile4x2(
      MemorySegment a,
      long aAt,
      long aStep,
      MemorySegment b,
      long bAt,
      long stride,
      MemorySegment c,
      long cAt,
      int depth,
      boolean add) {
    FloatVector c00 = FloatVector.zero(F);
    FloatVector c01 = c00;
    FloatVector c10 = c00;
    FloatVector c11 = c00;
    FloatVector c20 = c00;
    FloatVector c21 = c00;
    FloatVector c30 = c00;
    FloatVector c31 = c00;
    for (int l = 0; l < depth; l++) {
      FloatVector b0 = FloatVector.fromMemorySegment(F, b, bAt + l * stride, LE);
      FloatVector b1 = FloatVector.fromMemorySegment(F, b, bAt + l * stride + V, LE);
      long at = aAt + l * aStep;
      FloatVector x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at));
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 4));
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 8));
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 12));
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
    }
    put(c00, c, cAt, add);
    put(c01, c, cAt + V, add);
    put(c10, c, cAt + stride, add);
    put(c11, c, cAt + stride + V, add);
    put(c20, c, cAt + 2 * stride, add);
    put(c21, c, cAt + 2 * stride + V, add);
    put(c30, c, cAt + 3 * stride, add);
    put(c31, c, cAt + 3 * stride + V, add);
  }

  private static void tile4x1(
      MemorySegment a,
      long aAt,
      long aRow,
      long aStep,
      MemorySegment b,
      long bAt,
      long stride,
      MemorySegment c,
      long cAt,
      int depth,
      boolean add) {
    FloatVector c0 = FloatVector.zero(F);
    FloatVector c1 = c0;
    FloatVector c2 = c0;
    FloatVector c3 = c0;
    for (int l = 0; l < depth; l++) {
      FloatVector b0 = FloatVector.fromMemorySegment(F, b, bAt + l * stride, LE);
      long at = aAt + l * aStep;
      c0 = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at)).fma(b0, c0);
      c1 = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + aRow)).fma(b0, c1);
      c2 = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 2 * aRow)).fma(b0, c2);
      c3 = FloatVector.broadcast(F, a.get(JAVA_FLOAT, at + 3 * aRow)).fma(b0, c3);
    }
    put(c0, c, cAt, add);
    put(c1, c, cAt + stride, add);
    put(c2, c, cAt + 2 * stride, add);
    put(c3, c, cAt + 3 * stride, add);
  }

  private static void tile1x1(
      MemorySegment a,
      long aAt,
      long aStep,
      MemorySegment b,
      long bAt,
      long stride,
      MemorySegment c,
      long cAt,
      int depth,
      boolean add) {
    FloatVector sum = FloatVector.zero(F);
    for (int l = 0; l < depth; l++) {
      FloatVector x = FloatVector.broadcast(F, a.get(JAVA_FLOAT, aAt + l * aStep));
      sum = x.fma(FloatVector.fromMemorySegment(F, b, bAt + l * stride, LE), sum);
    }
    put(sum, c, cAt, add);
  }

  private static void put(FloatVector sum, MemorySegment c, long at, boolean add) {
    FloatVector result = add ? FloatVector.fromMemorySegment(F, c, at, LE).add(sum) : sum;
    result.intoMemorySegment(c, at, LE);
  }

  private static long strideBytes(int cols) {
    return (long) Matrix.strideOf(cols) * Float.BYTES;
  }

  @Override
  public String description() {
    return "Java, SIMD";
  }
}
