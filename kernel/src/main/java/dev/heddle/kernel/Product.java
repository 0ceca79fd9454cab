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

  /** Rows of a block where rows are few, so that no thread waits long for another's last task. */
  private static final int SMALL_BLOCK_ROWS = 256;

  private static final int FEW_ROWS = 32 * BLOCK_ROWS;

  private final MemorySegment scratch;
  private final Task multiply = this::multiplyBlock;
  private final Task transposeMultiply = this::transposeMultiplyPart;

  private Matrix a = Matrix.EMPTY;
  private Matrix b = Matrix.EMPTY;
  private Matrix c = Matrix.EMPTY;
  private Matrix transposed = Matrix.EMPTY;
  private PartialSums partials = PartialSums.EMPTY;
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
    return Math.max(PartialSums.bytes(k, n), Matrix.bytes(n, k));
  }

  /** {@code C = A · B}: rows × k by k × n. */
  public void multiply(ThreadTeam team, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiply(team, rows, a, b, c, false);
  }

  /** {@code C += A · B}. */
  public void addMultiply(ThreadTeam team, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiply(team, rows, a, b, c, true);
  }

  /** {@code C = A · Bᵀ}: rows × n by (k × n)ᵀ, the gradient of a linear map's input. */
  public void multiplyTransposed(ThreadTeam team, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiply(team, rows, a, transposed(b), c, false);
  }

  /** {@code C += A · Bᵀ}. */
  public void addMultiplyTransposed(ThreadTeam team, int rows, Matrix a, Matrix b, Matrix c) {
    startMultiply(team, rows, a, transposed(b), c, true);
  }

  /** {@code C += Aᵀ · B}: (rows × k)ᵀ by rows × n, the gradient of a linear map's weights. */
  public void addTransposeMultiply(ThreadTeam team, int rows, Matrix a, Matrix b, Matrix c) {
    start(rows, a, b, c, true);
    check(rows <= b.rows() && c.rows() == a.cols() && c.cols() == b.cols(), "AᵀB");
    check(scratch.byteSize() >= scratchBytes(c.rows(), c.cols()), "AᵀB with this scratch");
    if (rows == 0) {
      return;
    }
    if (!partials.fit(c)) {
      partials = PartialSums.over(scratch, c.rows(), c.cols());
    }
    int parts = RowBlocks.parts(rows);
    team.run(parts, transposeMultiply);
    partials.addTo(team, parts, c);
  }

  /** The small matrix turned round once, so that the tall one meets it as it lies. */
  private Matrix transposed(Matrix small) {
    if (scratch.byteSize() < Matrix.bytes(small.cols(), small.rows())) {
      throw new IllegalArgumentException("too little scratch for the transpose of " + small);
    }
    if (transposed.rows() != small.cols() || transposed.cols() != small.rows()) {
      transposed = Matrix.over(scratch, small.cols(), small.rows());
    }
    small.transposeInto(transposed);
    return transposed;
  }

  private void startMultiply(ThreadTeam team, int rows, Matrix a, Matrix b, Matrix c, boolean add) {
    start(rows, a, b, c, add);
    check(rows <= c.rows() && a.cols() == b.rows() && c.cols() == b.cols(), "AB");
    int size = blockRows();
    team.run((int) (((long) rows + size - 1) / size), multiply);
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
    a.requireAlive();
    b.requireAlive();
    c.requireAlive();
  }

  private int blockRows() {
    return rows < FEW_ROWS ? SMALL_BLOCK_ROWS : BLOCK_ROWS;
  }

  private void multiplyBlock(int block) {
    int size = blockRows();
    int from = block * size;
    int count = Math.min(size, rows - from);
    Gemm.kernels().multiply(count, a, from, b, c, from, add);
  }

  private void transposeMultiplyPart(int part) {
    int size = RowBlocks.partRows(rows);
    int from = part * size;
    int count = Math.min(size, rows - from);
    Gemm.kernels().transposeMultiply(count, a, from, b, from, partials.part(part), false);
  }
}
