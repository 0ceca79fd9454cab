package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Aggregation by maximum: {@code out[v][d] = max_{u ∈ in[v]} x[u][d]}, zero where v has no arcs.
 *
 * <p>Every output keeps which source won it, the first of equals, or −1 for none; the gradient goes
 * to the winner alone. Reused from run to run, it allocates nothing.
 */
public final class MaxGather {
  private final Csr in;
  private final Csr out;
  private final MaxKernels kernels;

  private final Task forwardTask = this::forward;
  private final Task backwardTask = this::backward;

  private MemorySegment winners = MemorySegment.NULL;
  private Matrix from;
  private Matrix to;
  private boolean add;

  private MaxGather(Csr in, Csr out, MaxKernels kernels) {
    this.in = in;
    this.out = out;
    this.kernels = kernels;
    this.from = Matrix.over(MemorySegment.NULL, 0, 1);
    this.to = from;
  }

  /**
   * An aggregation over arcs.
   *
   * @param in per destination the sources of its arcs
   * @param out the same arcs the other way: per source the destinations
   */
  public static MaxGather over(Csr in, Csr out) {
    return over(in, out, Kernels.max());
  }

  static MaxGather over(Csr in, Csr out, MaxKernels kernels) {
    return new MaxGather(in, out, kernels);
  }

  /**
   * Writes the maxima of rows of {@code source} into {@code target}.
   *
   * @param winnerIds ints in the shape and stride of the target, written too
   */
  public void forward(ThreadTeam team, Matrix source, Matrix target, MemorySegment winnerIds) {
    from = source;
    to = target;
    winners = winnerIds;
    team.run(in.rowTasks().ranges(), forwardTask);
  }

  /**
   * The way back of the last {@link #forward}, whose winners must be as they were: writes the
   * gradient of its source, or adds it.
   *
   * @param gradient of its target
   */
  public void backward(ThreadTeam team, Matrix gradient, Matrix target, boolean addToIt) {
    from = gradient;
    to = target;
    add = addToIt;
    team.run(out.rowTasks().ranges(), backwardTask);
  }

  private void forward(int task) {
    ArcTasks tasks = in.rowTasks();
    kernels.max(this, tasks.firstRow(task), tasks.endRow(task));
  }

  private void backward(int task) {
    ArcTasks tasks = out.rowTasks();
    kernels.gradient(this, tasks.firstRow(task), tasks.endRow(task));
  }

  Csr in() {
    return in;
  }

  Csr out() {
    return out;
  }

  /** Ids of winning sources, with the stride of the destinations' rows. */
  MemorySegment winners() {
    return winners;
  }

  /** The rows gathered: the source, or the target's gradient. */
  Matrix from() {
    return from;
  }

  Matrix to() {
    return to;
  }

  boolean add() {
    return add;
  }
}
