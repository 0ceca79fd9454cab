package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What follows a layer's product or aggregation, in one pass: {@code out = dropout(activation(x +
 * bias))}, in place or not.
 *
 * <p>Backward needs one bit per element, whether its gradient passes, and for ELU the output.
 * Dropout (Srivastava et al., 2014) keeps an element with probability {@code 1 − rate} and divides
 * it by that; the draw is keyed by row and column.
 */
public final class Epilogue {
  private final Activation activation;
  private final @Nullable Matrix bias;
  private final MemorySegment bits;
  private final RowLoop forward = new RowLoop(this::forwardRows);
  private final RowLoop.Body backwardBody = this::backwardRows;
  private final RowLoop backward = new RowLoop(backwardBody);

  private Matrix x = Matrix.EMPTY;
  private Matrix out = Matrix.EMPTY;
  private Matrix grad = Matrix.EMPTY;
  private boolean add;
  private float rate;
  private long key;
  private @Nullable RowIds ids;

  private Epilogue(Activation activation, @Nullable Matrix bias, MemorySegment bits) {
    this.activation = activation;
    this.bias = bias;
    this.bits = bits;
  }

  /**
   * An epilogue.
   *
   * @param bias {@code 1 × cols}, or none
   * @param bits {@link #bitBytes} of memory, kept from forward to backward
   */
  public static Epilogue of(Activation activation, @Nullable Matrix bias, MemorySegment bits) {
    return new Epilogue(activation, bias, bits);
  }

  /** Bytes of the bits of a matrix. */
  public static long bitBytes(int rows, int cols) {
    return (long) rows * rowBytes(cols);
  }

  /** One byte per vector. */
  static int rowBytes(int cols) {
    return Matrix.strideOf(cols) / GROUP;
  }

  /** Columns whose bits share a byte: as many as a vector has lanes, at most eight. */
  static final int GROUP = Kernels.simd() ? Simd.LANES : 8;

  /** Drops a share of the elements from now on; none at rate 0. */
  public void dropout(float dropRate, long drawKey) {
    rate = dropRate;
    key = drawKey;
  }

  /** Draws by these ids of rows from now on; by their indices where there are none. */
  public void rowIds(@Nullable RowIds rowIds) {
    ids = rowIds;
  }

  /** Writes {@code rows} rows of {@code target}, which may be {@code source}. */
  public void forward(ThreadTeam team, int rows, Matrix source, Matrix target) {
    x = source;
    out = target;
    forward.run(team, rows);
  }

  /**
   * From the gradient of the last output to that of its input, in place or not.
   *
   * @param addToIt whether the target's gradient is added to
   */
  public void backward(
      ThreadTeam team, int rows, Matrix outputGrad, Matrix inputGrad, boolean addToIt) {
    grad = outputGrad;
    x = inputGrad;
    add = addToIt;
    backward.run(team, rows);
  }

  /**
   * Goes backward, and adds the sum of the rows of {@code inputGrad} to the gradient of the bias.
   *
   * @param columns as many as there are columns
   */
  public void backward(
      ThreadTeam team,
      int rows,
      Matrix outputGrad,
      Matrix inputGrad,
      ColumnSum columns,
      Matrix biasGrad) {
    grad = outputGrad;
    x = inputGrad;
    add = false;
    columns.addTo(team, rows, inputGrad, biasGrad, backwardBody);
  }

  /** {@link #forward} some rows at a time. */
  public RowWork forwardWork(Matrix source, Matrix target) {
    return new RowWork() {
      @Override
      public void begin(ThreadTeam team, int rows) {
        x = source;
        out = target;
      }

      @Override
      public void rows(int part, int from, int to) {
        forwardRows(from, to);
      }
    };
  }

  /** {@link #backward} some rows at a time, where nothing is added to. */
  public RowWork backwardWork(Matrix outputGrad, Matrix inputGrad) {
    return new RowWork() {
      @Override
      public void begin(ThreadTeam team, int rows) {
        grad = outputGrad;
        x = inputGrad;
        add = false;
      }

      @Override
      public void rows(int part, int from, int to) {
        backwardRows(from, to);
      }
    };
  }

  private void forwardRows(int from, int to) {
    Kernels.rows().epilogue(this, from, to);
  }

  private void backwardRows(int from, int to) {
    Kernels.rows().epilogueBackward(this, from, to);
  }

  Activation activation() {
    return activation;
  }

  @Nullable Matrix bias() {
    return bias;
  }

  MemorySegment bits() {
    return bits;
  }

  /** The input of forward; in backward its gradient. */
  Matrix x() {
    return x;
  }

  Matrix out() {
    return out;
  }

  /** In backward, the gradient of the output. */
  Matrix grad() {
    return grad;
  }

  boolean add() {
    return add;
  }

  boolean drops() {
    return rate > 0;
  }

  /** What kept elements are multiplied by. */
  float scale() {
    return 1 / (1 - rate);
  }

  int threshold() {
    return Draws.dropThreshold(rate);
  }

  /** The random bits of a row. */
  int draw(int row) {
    return (int) Draws.at(key, ids == null ? row : ids.at(row));
  }
}
