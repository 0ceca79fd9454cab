package dev.heddle.nn.program;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Matrix;
import org.jspecify.annotations.Nullable;

/** A matrix that flows through a program: one row per vertex at some depth, and its gradient. */
public final class Value {
  private final Rows rows;
  private final int cols;
  private final Slot data;
  private final Slot grad;
  private @Nullable SparseFeatures sparse;
  private boolean external;
  private boolean constant;
  private boolean learnt;
  private boolean needsGrad;
  private @Nullable Matrix dataMatrix;
  private @Nullable Matrix gradMatrix;
  private @Nullable Op firstGradWriter;
  private boolean gradGiven;
  private @Nullable Value aggregated;
  private @Nullable Value destinations;

  private Value(Rows rows, int cols, Slot data, Slot grad) {
    this.rows = rows;
    this.cols = cols;
    this.data = data;
    this.grad = grad;
  }

  /** A value in memory of its own. */
  static Value of(Rows rows, int cols) {
    long bytes = Matrix.bytes(rows.capacity(), cols);
    return new Value(rows, cols, new Slot(bytes), new Slot(bytes));
  }

  /** A value that takes the place of another, which nobody reads any more. */
  static Value inPlaceOf(Value x) {
    return new Value(x.rows, x.cols, x.data, x.grad);
  }

  /** A matrix from outside that no step changes. */
  static Value constant(Rows rows, Matrix matrix) {
    Value v = new Value(rows, matrix.cols(), new Slot(0), new Slot(0));
    v.dataMatrix = matrix;
    v.external = true;
    v.constant = true;
    return v;
  }

  /** Sparse features: only a product with a parameter can read them. */
  static Value sparse(Rows rows, SparseFeatures features) {
    Value v = new Value(rows, features.width(), new Slot(0), new Slot(0));
    v.sparse = features;
    v.external = true;
    v.constant = true;
    return v;
  }

  public Rows rows() {
    return rows;
  }

  public int cols() {
    return cols;
  }

  /** Whether no parameter and no draw has touched this value: it is the same in every step. */
  public boolean constant() {
    return constant;
  }

  /** The features behind a sparse value. */
  public @Nullable SparseFeatures sparse() {
    return sparse;
  }

  void replaceSparse(SparseFeatures features) {
    sparse = features;
  }

  /** The aggregation of these rows over the first hop, where it was given with them. */
  @Nullable Value aggregated() {
    return aggregated;
  }

  Value withAggregated(Value given) {
    aggregated = given;
    return this;
  }

  /** Of sparse rows, those of the first hop's destinations by themselves, if they are fewer. */
  @Nullable Value destinations() {
    return destinations;
  }

  Value withDestinations(@Nullable Value first) {
    destinations = first;
    return this;
  }

  /** Whether the data belongs to somebody else and must not be overwritten. */
  boolean external() {
    return external;
  }

  boolean needsGrad() {
    return needsGrad;
  }

  /** Whether a parameter has touched this value. */
  boolean learnt() {
    return learnt;
  }

  void derive(boolean isConstant, boolean isLearnt, boolean wantsGrad) {
    constant = isConstant;
    learnt = isLearnt;
    needsGrad = wantsGrad;
  }

  Slot dataSlot() {
    return data;
  }

  Slot gradSlot() {
    return grad;
  }

  boolean sharesMemoryWith(Value other) {
    return data == other.data;
  }

  /** Turns the planned slots into matrices. */
  void materialise() {
    if (dataMatrix == null && sparse == null) {
      dataMatrix = Matrix.over(data.memory(), rows.capacity(), cols);
    }
    if (needsGrad) {
      gradMatrix = Matrix.over(grad.memory(), rows.capacity(), cols);
    }
  }

  /** The value itself: the first {@code rows().count()} rows count. */
  public Matrix data() {
    return planned(dataMatrix);
  }

  /** The gradient of the loss by this value. */
  public Matrix grad() {
    return planned(gradMatrix);
  }

  private static Matrix planned(@Nullable Matrix matrix) {
    if (matrix == null) {
      throw new IllegalStateException("this value has no memory (yet)");
    }
    return matrix;
  }

  /** Says that the caller writes a gradient before backward, to which operations add. */
  void gradGiven() {
    gradGiven = true;
  }

  void gradWrittenBy(Op op) {
    if (firstGradWriter == null) {
      firstGradWriter = op;
    }
  }

  /**
   * Whether an operation's backward adds to the gradient: the first to write overwrites it, unless
   * the caller has given one.
   */
  @SuppressWarnings("ReferenceEquality") // An operation is itself, whatever it holds.
  boolean addsGrad(Op op) {
    return gradGiven || firstGradWriter != op;
  }
}
