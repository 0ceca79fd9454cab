package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Attention along one direction of the arcs: a row, near, and the rows its arcs lead to, far.
 *
 * <p>Forward and the gradients of destinations walk the arcs into each destination; the gradients
 * of sources walk the arcs out of each source. Forward keeps nothing per arc: on the way back the
 * pass over incoming arcs computes coefficients anew, and leaves them and the gradients of scores
 * to the pass over outgoing arcs, which would otherwise compute all of it a third time.
 */
final class AttentionPass {
  private final ArcTwins twins;
  private final Csr arcs;
  private final boolean incoming;
  private final boolean projected;
  private final AttentionBuffers buffers;
  private final AttentionDropout dropout;
  private final AttentionKernels kernels;

  private final Task forwardTask = this::forward;
  private final Task backwardTask = this::backward;

  private float slope;
  private Matrix scoreNear;
  private Matrix scoreFar;
  private Matrix near;
  private Matrix far;
  private Matrix base;
  private Matrix vector;
  private Matrix target;
  private int clearFrom;

  /** What the two directions of one attention have in common. */
  record Setting(
      boolean projected,
      AttentionBuffers buffers,
      AttentionDropout dropout,
      AttentionKernels kernels) {}

  private AttentionPass(ArcTwins twins, boolean incoming, Setting setting) {
    this.twins = twins;
    this.arcs = incoming ? twins.in() : twins.out();
    this.incoming = incoming;
    this.projected = setting.projected();
    this.buffers = setting.buffers();
    this.dropout = setting.dropout();
    this.kernels = setting.kernels();
    Matrix none = buffers.partials();
    scoreNear = none;
    scoreFar = none;
    near = none;
    far = none;
    base = none;
    vector = none;
    target = none;
    if (none.rows() < arcs.rowTasks().ranges()) {
      throw new IllegalArgumentException(
          none.rows() + " rows of partial sums for " + arcs.rowTasks().ranges() + " tasks");
    }
  }

  /** Rows are destinations, arcs lead to their sources. */
  static AttentionPass incoming(ArcTwins twins, Setting setting) {
    return new AttentionPass(twins, true, setting);
  }

  /** Rows are sources, arcs lead to their destinations. */
  static AttentionPass outgoing(ArcTwins twins, Setting setting) {
    return new AttentionPass(twins, false, setting);
  }

  static float requireSlope(float slope) {
    if (!(slope >= 0 && slope <= 1)) {
      throw new IllegalArgumentException("a leaky slope lies in [0, 1], not at " + slope);
    }
    return slope;
  }

  /** What scores are made of. */
  void scored(Matrix nearScores, Matrix farScores, float leakySlope) {
    scoreNear = nearScores;
    scoreFar = farScores;
    slope = leakySlope;
  }

  /** What is multiplied along the arcs; the far rows are also what is summed. */
  void gathering(Matrix nearRows, Matrix farRows) {
    near = nearRows;
    far = farRows;
  }

  /** The rows from which the near scores come, and the attention vector that made them. */
  void projecting(Matrix baseRows, Matrix attentionVector) {
    base = baseRows;
    vector = attentionVector;
  }

  /** Writes {@code out[w] = Σ_j alpha(w, j) · far[j]} and the state of every row. */
  void forward(ThreadTeam team, Matrix out) {
    target = out;
    check();
    team.run(arcs.rowTasks().ranges(), forwardTask);
  }

  /**
   * Adds the gradients of the base rows and of the vector. Incoming arcs come first: they leave
   * behind what outgoing arcs need.
   *
   * @param overwriteFrom rows from this one on are written instead of added to
   */
  void backward(ThreadTeam team, Matrix gradient, int overwriteFrom, Matrix vectorGradient) {
    target = gradient;
    clearFrom = overwriteFrom;
    checkBackward();
    int tasks = arcs.rowTasks().ranges();
    team.run(tasks, backwardTask);
    for (int c = 0; c < vectorGradient.cols(); c++) {
      float sum = vectorGradient.get(0, c);
      for (int task = 0; task < tasks; task++) {
        sum += buffers.partials().get(task, c);
      }
      vectorGradient.set(0, c, sum);
    }
  }

  /** What inner loops rely on, since they do not look again; what arcs name they check. */
  private void check() {
    RawMemory.require(arcs.ids());
    requireRows("near rows", near);
    requireRows("target rows", target);
    RawMemory.require(far.data());
    if (incoming || projected) {
      requireRows("near scores", scoreNear);
      RawMemory.require(scoreFar.data());
    }
  }

  private void checkBackward() {
    check();
    requireRows("base rows", base);
    RawMemory.require(vector.data());
    RawMemory.require(twins.inArcs());
    RawMemory.require(buffers.arcs());
    RawMemory.require(buffers.partials().data());
    long bytes = AttentionBuffers.arcBytes(heads(), arcs.offset(arcs.rows()));
    if (buffers.arcs().byteSize() < bytes) {
      throw new IllegalArgumentException(
          "values of arcs take " + bytes + " bytes, not " + buffers.arcs().byteSize());
    }
  }

  private void requireRows(String name, Matrix m) {
    RawMemory.require(m.data());
    if (m.rows() < arcs.rows()) {
      throw new IllegalArgumentException(name + " of " + arcs + " cannot be " + m);
    }
  }

  private void forward(int task) {
    ArcTasks tasks = arcs.rowTasks();
    ArcChunk c = ArcChunk.ofThread(heads());
    for (int row = tasks.firstRow(task), to = tasks.endRow(task); row < to; row++) {
      long first = arcs.offset(row);
      long end = arcs.offset(row + 1);
      if (first == end) {
        kernels.clear(this, row);
        continue;
      }
      c.begin(row);
      // The few arcs of most rows are seen at once: then coefficients are final before they are
      // used.
      boolean atOnce = end - first <= ArcChunk.ARCS;
      for (boolean add = false; first < end; first += c.n(), add = true) {
        c.move(first, end);
        kernels.scores(this, c);
        kernels.softmax(this, c);
        if (atOnce) {
          kernels.keepState(this, c);
          kernels.scaleWeights(c);
        }
        kernels.weightedSum(this, c, add);
      }
      if (!atOnce) {
        kernels.keepState(this, c);
        kernels.scaleTarget(this, c);
      }
    }
  }

  private void backward(int task) {
    ArcTasks tasks = arcs.rowTasks();
    ArcChunk c = ArcChunk.ofThread(heads());
    for (int column = 0; column < vector.cols(); column++) {
      buffers.partials().set(task, column, 0);
    }
    for (int row = tasks.firstRow(task), to = tasks.endRow(task); row < to; row++) {
      long first = arcs.offset(row);
      long end = arcs.offset(row + 1);
      boolean add = row < clearFrom;
      if (first == end) {
        if (!add) {
          kernels.clear(this, row);
        }
        continue;
      }
      c.begin(row);
      if (projected) {
        c.beginSlopes();
      }
      for (; first < end; first += c.n()) {
        c.move(first, end);
        if (incoming) {
          kernels.scores(this, c);
          kernels.dots(this, c);
          kernels.gradients(this, c);
          kernels.leave(this, c);
        } else {
          kernels.recall(this, c);
          kernels.weightedSum(this, c, add);
          add = true;
        }
        if (projected) {
          kernels.slopeSum(this, c);
        }
      }
      if (!projected) {
        c.spreadSums();
      }
      kernels.project(this, c, task, add);
    }
  }

  Csr arcs() {
    return arcs;
  }

  ArcTwins twins() {
    return twins;
  }

  Heads heads() {
    return buffers.heads();
  }

  AttentionBuffers buffers() {
    return buffers;
  }

  MemorySegment state() {
    return buffers.state().data();
  }

  boolean dropping() {
    return dropout.active();
  }

  AttentionDropout dropout() {
    return dropout;
  }

  /** Whether the attention vector meets columns after the rectifier, or heads' scores before. */
  boolean projected() {
    return projected;
  }

  float slope() {
    return slope;
  }

  Matrix scoreNear() {
    return scoreNear;
  }

  Matrix scoreFar() {
    return scoreFar;
  }

  Matrix near() {
    return near;
  }

  Matrix far() {
    return far;
  }

  Matrix base() {
    return base;
  }

  Matrix vector() {
    return vector;
  }

  Matrix target() {
    return target;
  }
}
