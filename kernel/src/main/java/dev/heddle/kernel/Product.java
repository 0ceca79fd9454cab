package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Dense products of tall matrices with small ones: the forward pass of a linear map and both of its
 * gradients. Reused from run to run, it allocates nothing.
 *
 * <p>Each works on the first {@code rows} rows of the tall matrices, whose own row counts are only
 * capacities. Rows are cut into blocks that depend on their number alone, each a single-threaded
 * product: the same bits for any number of threads.
 */
public final class Product {
  /** Rows of a task: its share of the tall matrices stays in the second-level cache. */
  private static final int BLOCK_ROWS = 1024;

  /** Floats of C that a task of the final sum takes. */
  private static final int SUM_FLOATS = 4096;

  private final MemorySegment scratch;
  private final Task multiply = this::multiplyBlock;
  private final Task multiplyTransposed = this::multiplyTransposedBlock;
  private final Task transposeMultiply = this::transposeMultiplyPart;
  private final Task sumParts = this::sumParts;

  private Matrix a = Matrix.EMPTY;
  private Matrix b = Matrix.EMPTY;
  private Matrix c = Matrix.EMPTY;
  private int rows;
  private boolean add;

  private Product(MemorySegment scratch) {
    this.scratch = scratch;
  }

  /** Products with weights of up to {@code k} × {@code n}, with scratch of their own. */
  public static Product allocate(Memory memory, int k, int n) {
    return over(memory.allocate(scratchBytes(k, n)));
  }

  /** Products over {@link #scratchBytes} of scratch, which several may share in turn. */
  public static Product over(MemorySegment scratch) {
    return new Product(scratch);
  }

  /** Scratch that gradients of weights of {@code k} × {@code n} need. */
  public static long scratchBytes(int k, int n) {
    return RowBlocks.MAX_PARTS * Matrix.bytes(k, n);
  }

  /** {@code C = A · B}: rows × k by k × n. */
  public void multiply(Workers workers, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiply(workers, rows, a, b, c, false);
  }

  /** {@code C += A · B}. */
  public void addMultiply(Workers workers, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiply(workers, rows, a, b, c, true);
  }

  /** {@code C = A · Bᵀ}: rows × n by (k × n)ᵀ, the gradient of a linear map's input. */
  public void multiplyTransposed(Workers workers, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiplyTransposed(workers, rows, a, b, c, false);
  }

  /** {@code C += A · Bᵀ}. */
  public void addMultiplyTransposed(Workers workers, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiplyTransposed(workers, rows, a, b, c, true);
  }

  /** {@code C += Aᵀ · B}: (rows × k)ᵀ by rows × n, the gradient of a linear map's weights. */
  public void addTransposeMultiply(Workers workers, int rows, Matrix a, Matrix b, Matrix c) {
    start(rows, a, b, c, true);
    check(rows <= b.rows() && c.rows() == a.cols() && c.cols() == b.cols(), "AᵀB");
    check(scratch.byteSize() >= scratchBytes(c.rows(), c.cols()), "AᵀB with this scratch");
    if (rows == 0) {
      return;
    }
    workers.run(RowBlocks.parts(rows), transposeMultiply);
    int floats = c.rows() * c.stride();
    workers.run((floats + SUM_FLOATS - 1) / SUM_FLOATS, sumParts);
  }

  private void startMultiply(Workers workers, int rows, Matrix a, Matrix b, Matrix c, boolean add) {
    start(rows, a, b, c, add);
    check(rows <= c.rows() && a.cols() == b.rows() && c.cols() == b.cols(), "AB");
    workers.run(blocks(rows), multiply);
  }

  private void startMultiplyTransposed(
      Workers workers, int rows, Matrix a, Matrix b, Matrix c, boolean add) {
    start(rows, a, b, c, add);
    check(rows <= c.rows() && a.cols() == b.cols() && c.cols() == b.rows(), "ABᵀ");
    check(scratch.byteSize() >= Matrix.bytes(b.cols(), b.rows()), "ABᵀ with this scratch");
    Gemm.kernels().prepareTransposed(this);
    workers.run(blocks(rows), multiplyTransposed);
  }

  private void start(int rows, Matrix a, Matrix b, Matrix c, boolean add) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.rows = rows;
    this.add = add;
    check(rows >= 0 && rows <= a.rows(), "the rows");
  }

  /** Native code sees addresses only: nothing else stands between a wrong shape and a crash. */
  private void check(boolean fits, String what) {
    if (!fits) {
      throw new IllegalArgumentException(
          "cannot take %s: %d rows, A %s, B %s, C %s".formatted(what, rows, a, b, c));
    }
    if (!(a.data().scope().isAlive() && b.data().scope().isAlive() && c.data().scope().isAlive())) {
      throw new IllegalStateException("the memory of a matrix is closed");
    }
  }

  private static int blocks(int rows) {
    return (int) (((long) rows + BLOCK_ROWS - 1) / BLOCK_ROWS);
  }

  private void multiplyBlock(int block) {
    int from = block * BLOCK_ROWS;
    Gemm.kernels().multiply(this, from, from + Math.min(BLOCK_ROWS, rows - from));
  }

  private void multiplyTransposedBlock(int block) {
    int from = block * BLOCK_ROWS;
    Gemm.kernels().multiplyTransposed(this, from, from + Math.min(BLOCK_ROWS, rows - from));
  }

  private void transposeMultiplyPart(int part) {
    int size = RowBlocks.partRows(rows);
    int from = part * size;
    long offset = part * Matrix.bytes(c.rows(), c.cols());
    Gemm.kernels().transposeMultiply(this, from, from + Math.min(size, rows - from), offset);
  }

  private void sumParts(int task) {
    int from = task * SUM_FLOATS;
    int count = Math.min(SUM_FLOATS, c.rows() * c.stride() - from);
    long at = (long) from * Float.BYTES;
    long partBytes = Matrix.bytes(c.rows(), c.cols());
    int parts = RowBlocks.parts(rows);
    Kernels.columns().sum(scratch, at, partBytes, parts, count, c.data(), at);
  }

  Matrix a() {
    return a;
  }

  Matrix b() {
    return b;
  }

  Matrix c() {
    return c;
  }

  boolean add() {
    return add;
  }

  MemorySegment scratch() {
    return scratch;
  }
}
